import type { IncomingMessage, ServerResponse } from "node:http"
import { Context } from "effect"

/**
 * A handler that sees each request before the application. It answers the request and returns true, or it leaves it as
 * it is and returns false. By default there is none.
 *
 * @since 0.1.0
 * @category services
 */
export class Front extends Context.Reference<Front>()("@assay/server/Front", {
  defaultValue: (): {
    /** Undefined where there is none. */
    answer: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined
  } => ({ answer: undefined })
}) {}

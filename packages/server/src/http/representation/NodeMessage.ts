import type { IncomingMessage } from "node:http"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Option } from "effect"

/**
 * The message of Node that a request came as, over HTTP/1 or HTTP/2; none for a web request. Frameworks make messages of
 * their own, so what distinguishes them is what only Node's have: the fields as they were sent.
 */
export const of = ({ source }: Pick<HttpServerRequest.HttpServerRequest, "source">): Option.Option<IncomingMessage> =>
  "rawHeaders" in (source as object) ? Option.some(source as IncomingMessage) : Option.none()

/** A request target as it came, where a framework has replaced it by what is below the path that it matched. */
export const targetOf = (message: IncomingMessage): string =>
  "originalUrl" in message && typeof message.originalUrl === "string" ? message.originalUrl : (message.url ?? "")

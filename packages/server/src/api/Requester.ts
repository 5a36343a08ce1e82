import { HttpApiMiddleware } from "@effect/platform"
import { Context, type Option } from "effect"

/**
 * The source of a request without a key: an IPv4 address or IPv6 /64; none where sources are not tracked.
 *
 * @since 0.1.0
 * @category services
 */
export class CurrentRequester extends Context.Tag("@assay/server/CurrentRequester")<
  CurrentRequester,
  Option.Option<string>
>() {}

/**
 * Provides the source of a request to a handler.
 *
 * @since 0.1.0
 * @category services
 */
export class Requester extends HttpApiMiddleware.Tag<Requester>()("@assay/server/Requester", {
  provides: CurrentRequester
}) {}

import { HttpApiMiddleware } from "@effect/platform"
import { Context, type Option } from "effect"

/**
 * Where a request without a key comes from: an IPv4 address or IPv6 /64, none where sources are not tracked.
 *
 * @since 0.1.0
 * @category services
 */
export class CurrentRequester extends Context.Tag("@assay/server/CurrentRequester")<
  CurrentRequester,
  Option.Option<string>
>() {}

/**
 * Tells a handler where its request comes from.
 *
 * @since 0.1.0
 * @category services
 */
export class Requester extends HttpApiMiddleware.Tag<Requester>()("@assay/server/Requester", {
  provides: CurrentRequester
}) {}

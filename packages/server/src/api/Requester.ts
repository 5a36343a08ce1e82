import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import { Context, type Option } from "effect"
import * as Problem from "./Problem.js"

/** The source of a request without a key: an IPv4 address or IPv6 /64; none where sources are not tracked. */
export class CurrentRequester extends Context.Tag("@assay/server/CurrentRequester")<
  CurrentRequester,
  Option.Option<string>
>() {}

/**
 * Provides the source of a request to a handler. Where sources are not tracked, a request from another web page is
 * refused: the pages that a browser shows reach every server of its machine.
 */
export class Requester extends HttpApiMiddleware.Tag<Requester>()("@assay/server/Requester", {
  failure: Problem.schema("origin_forbidden"),
  provides: CurrentRequester
}) {}

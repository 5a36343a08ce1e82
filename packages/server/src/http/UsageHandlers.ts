import { Watches } from "@assay/core"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { Effect } from "effect"
import { Api } from "../api/Api.js"
import { CurrentCaller } from "../api/Authentication.js"
import * as Problems from "./Problems.js"

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = HttpApiBuilder.group(Api, "usage", (handlers) =>
  Effect.map(Watches.Watches, (watches) =>
    handlers.handle("today", () => Effect.flatMap(CurrentCaller, (caller) => Problems.translate(watches.usage(caller))))
  )
)

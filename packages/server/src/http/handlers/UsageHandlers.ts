import * as Timestamp from "@assay/core/domain/Timestamp"
import type * as Usage from "@assay/core/domain/Usage"
import * as Watches from "@assay/core/watches/Watches"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { Clock, Effect, Option } from "effect"
import { Api } from "../../api/Api.js"
import { CurrentCaller } from "../../api/Authentication.js"
import { type Basis, Replay } from "../edge/Replay.js"
import * as Problems from "../representation/Problems.js"

export const layer = HttpApiBuilder.group(Api, "usage", (handlers) =>
  Effect.zipWith(Watches.Watches, Replay, (watches, replay) =>
    handlers
      .handle("today", ({ request }) =>
        CurrentCaller.pipe(
          Effect.flatMap((caller) =>
            Effect.tap(watches.lastingUsage(caller), (usage) =>
              replay.holds(request, basisOf(usage), Effect.map(watches.lastingUsage(caller), basisOf))
            )
          ),
          Effect.map(({ value }) => value),
          Problems.translate
        )
      )
      .handle("ledger", ({ urlParams }) =>
        Effect.all({ caller: CurrentCaller, now: Clock.currentTimeMillis }).pipe(
          Effect.flatMap(({ caller, now }) =>
            watches.ledger(caller, urlParams.day ?? Timestamp.dayOf(now), {
              limit: urlParams.limit ?? 20,
              cursor: Option.fromNullable(urlParams.cursor)
            })
          ),
          Problems.translate
        )
      )
  )
)

const basisOf = ({ until, value }: Watches.Lasting<Usage.Usage>): Basis => ({ mark: JSON.stringify(value), until })

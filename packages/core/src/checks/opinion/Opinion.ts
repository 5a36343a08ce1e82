import { Effect, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import { SecondOpinion } from "../../chain/sources/SecondOpinion.js"
import * as SourceCall from "../../chain/sources/SourceCall.js"
import type { Asked, SourceReading } from "../../chain/sources/SourceReading.js"
import { ChainState } from "../../chain/state/ChainState.js"
import type { Observation } from "../../domain/Evidence.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

/** The parts of a verdict on an opinion that do not depend on its state: the service and the observation. */
export interface Quoted {
  readonly observation: Observation
  readonly consulted: ReadonlyArray<Check.Consulted>
  readonly verified: false
}

/**
 * Queries the second-opinion service and turns its answer into a verdict. The check does not apply where the service
 * does not cover the chain, and is unknown where the service does not answer.
 */
export const ask = <A, V>(options: {
  readonly page: (service: SecondOpinion["Type"], at: Asked) => string
  readonly question: (
    service: SecondOpinion["Type"],
    at: Asked
  ) => Effect.Effect<Option.Option<SourceReading<A>>, ChainError>
  readonly judge: (said: A, quoted: Quoted, name: string) => Check.Verdict<V>
}): Effect.Effect<ReadonlyArray<Check.Verdict<V>>, never, ChainState | SecondOpinion> =>
  Effect.gen(function* () {
    const state = yield* ChainState
    const service = yield* SecondOpinion
    const place = { name: service.name, url: options.page(service, state), kind: "service" as const }
    return yield* Effect.match(
      SourceCall.make(() => options.question(service, state)),
      {
        onFailure: ({ detail, reason }): ReadonlyArray<Check.Verdict<V>> => [
          Phrases.unknown(reason, `${place.name}: ${detail}`, {
            consulted: [{ ...place, answered: false, recipe: Option.none() }]
          })
        ],
        onSuccess: Option.match({
          onNone: (): ReadonlyArray<Check.Verdict<V>> => Check.notApplicable,
          onSome: ({ observation, recipe, value }) => [
            options.judge(
              value,
              {
                observation: observation(),
                consulted: [{ ...place, answered: true, recipe: Option.some(recipe) }],
                verified: false
              },
              place.name
            )
          ]
        })
      }
    )
  })

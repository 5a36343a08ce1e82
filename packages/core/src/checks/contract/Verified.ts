import { Effect, Either, Option, Schema } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import * as SourceCall from "../../chain/sources/SourceCall.js"
import type { SourceReading } from "../../chain/sources/SourceReading.js"
import { type Registry, type SourceMatch, VerifiedSource } from "../../chain/sources/VerifiedSource.js"
import { ChainState } from "../../chain/state/ChainState.js"
import type { Address } from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import * as Together from "../../runtime/Together.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

/**
 * The match level of the contract in each registry that covers the chain.
 */
const VerifiedValue = Schema.Struct({
  registries: Schema.Array(Schema.Struct({ name: Schema.String, match: Schema.Literal("exact", "partial", "none") }))
})

/**
 * C-01: whether a registry has source code that compiles to the code of the contract. It is not about what the source
 * does, nor about the implementation of a proxy.
 *
 * - Confirmed: a registry has the source. With partial matches only, comments, names or the creation code may differ,
 *   and the item is not `verified`.
 * - Refuted: every registry that covers the chain answered, and none has the source.
 * - Unknown: none has the source and one did not answer; or the registry verified other code than the current one.
 *
 * It does not apply where no registry covers the chain.
 */
export const verified = Check.make({
  id: "contract.verified",
  code: "C-01",
  version: 1,
  targets: ["token", "contract"],
  claim: "Published source code matches the bytecode",
  polarity: "protective",
  severity: "medium",
  dimension: "code",
  value: VerifiedValue,
  run: (target) =>
    Effect.gen(function* () {
      const { registries } = yield* VerifiedSource
      if (registries.length === 0) return [Phrases.unknown("source_disabled", "no source registry is configured")]
      const state = yield* ChainState
      const [code, answers] = yield* Together.all([
        state.code(target.address),
        Together.forEach(registries, (registry) =>
          Effect.map(Effect.either(SourceCall.make(() => registry.look(state, target.address))), (answer) =>
            opinionOf(registry, registry.page(state, target.address), answer)
          )
        )
      ])
      const covering = answers.flatMap((answer) => Option.toArray(answer))
      return covering.length === 0 ? Check.notApplicable : [judge(covering, target.address, Bytecode.hash(code.value))]
    })
})

interface Opinion {
  readonly registry: string
  readonly consulted: Check.Consulted
  readonly answer: Either.Either<SourceReading<SourceMatch>, ChainError>
}

const opinionOf = (
  registry: Registry,
  url: string,
  answer: Either.Either<Option.Option<SourceReading<SourceMatch>>, ChainError>
): Option.Option<Opinion> => {
  const of = (told: Opinion["answer"]): Opinion => ({
    registry: registry.name,
    consulted: {
      name: registry.name,
      url,
      kind: "service",
      answered: Either.isRight(told),
      recipe: Option.map(Option.getRight(told), ({ recipe }) => recipe)
    },
    answer: told
  })
  return Either.match(answer, {
    onLeft: (error) => Option.some(of(Either.left(error))),
    onRight: Option.map((reading) => of(Either.right(reading)))
  })
}

const judge = (
  opinions: ReadonlyArray<Opinion>,
  address: Address,
  code: Hex
): Check.Verdict<typeof VerifiedValue.Type> => {
  const told = opinions.flatMap(({ answer, consulted, registry }) =>
    Either.isRight(answer) ? [{ registry, consulted, reading: answer.right }] : []
  )
  // The registry compared with the code at that time; a contract can be destroyed and redeployed at the same address.
  const current = told.filter(({ reading }) => Option.getOrElse(reading.value.code, () => code) === code)
  const value = {
    registries: current.map(({ reading, registry }) => ({ name: registry, match: reading.value.level }))
  }
  const from = (consulted: Check.Consulted) => ({
    consulted: [consulted, ...opinions.map((opinion) => opinion.consulted).filter((other) => other !== consulted)]
  })
  const having = (level: SourceMatch["level"]) => current.find(({ reading }) => reading.value.level === level)

  const exact = having("exact")
  if (exact !== undefined)
    return Check.confirmed({
      ...from(exact.consulted),
      value,
      detail: `exact match at ${exact.registry}`,
      observation: exact.reading.observation(),
      at: address
    })
  const partial = having("partial")
  if (partial !== undefined)
    return Check.confirmed({
      ...from(partial.consulted),
      value,
      detail: `partial match at ${partial.registry}: comments, names or the creation code may differ`,
      observation: partial.reading.observation(),
      verified: false,
      at: address
    })
  const replaced = told.find((opinion) => !current.includes(opinion))
  if (replaced !== undefined)
    return Phrases.unknown(
      "conflicting_sources",
      `${replaced.registry} verified other code than the current bytecode`,
      {
        ...from(replaced.consulted),
        observation: replaced.reading.observation()
      }
    )
  const silent = opinions.find(({ answer }) => Either.isLeft(answer))
  if (silent !== undefined && Either.isLeft(silent.answer))
    return Phrases.unknown(silent.answer.left.reason, `${silent.registry}: ${silent.answer.left.detail}`, {
      ...from(silent.consulted)
    })
  const [first] = told
  return Check.refuted({
    value,
    detail: `no source code at ${Phrases.few(told.map(({ registry }) => registry))}`,
    consulted: opinions.map(({ consulted }) => consulted),
    observation: first?.reading.observation(),
    at: address
  })
}

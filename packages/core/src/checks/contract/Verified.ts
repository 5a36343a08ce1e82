import { Effect, Either, Option, Schema } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/ChainState.js"
import type { SourceReading } from "../../chain/SourceReading.js"
import * as Together from "../../chain/Together.js"
import { type Registry, type SourceMatch, VerifiedSource } from "../../chain/VerifiedSource.js"
import type { Address } from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import * as Check from "../Check.js"

/**
 * What each registry that covers the chain says of the contract.
 */
const VerifiedValue = Schema.Struct({
  registries: Schema.Array(Schema.Struct({ name: Schema.String, match: Schema.Literal("exact", "partial", "none") }))
})

/**
 * C-01: whether the source of the contract is published and was shown to compile to its code. It says nothing of what the
 * source does, nor of the code behind a proxy.
 *
 * - Confirmed: a registry has it. Where all that have it match in part, comments, names or the creation may differ, and
 *   the item is not `verified`.
 * - Refuted: every registry that covers the chain was asked, and none has it.
 * - Unknown: none has it and one could not be asked; or what was verified there is not the code that stands here now.
 *
 * It does not apply where no registry covers the chain.
 *
 * @since 0.1.0
 * @category models
 */
export const verified = Check.make({
  id: "contract.verified",
  code: "C-01",
  version: 1,
  targets: ["token", "contract"],
  claim: "The source of the contract is published and matches its code",
  polarity: "protective",
  severity: "medium",
  dimension: "code",
  value: VerifiedValue,
  run: (target) =>
    Effect.gen(function* () {
      const { registries } = yield* VerifiedSource
      if (registries.length === 0) return [Check.unknown("source_disabled", "no registry of sources is configured")]
      const state = yield* ChainState
      const [code, answers] = yield* Together.all([
        state.code(target.address),
        Together.forEach(registries, (registry) =>
          Effect.map(Effect.either(registry.look(state, target.address)), (answer) =>
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
  // The registry compared with the code of its day; a contract can be destroyed and made again at the same address.
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
      detail: `partial match at ${partial.registry}: comments, names or the creation may differ`,
      observation: partial.reading.observation(),
      verified: false,
      at: address
    })
  const replaced = told.find((opinion) => !current.includes(opinion))
  if (replaced !== undefined)
    return Check.unknown("conflicting_sources", `what ${replaced.registry} verified is not the code that is here now`, {
      ...from(replaced.consulted),
      observation: replaced.reading.observation()
    })
  const silent = opinions.find(({ answer }) => Either.isLeft(answer))
  if (silent !== undefined && Either.isLeft(silent.answer))
    return Check.unknown(silent.answer.left.reason, `${silent.registry}: ${silent.answer.left.detail}`, {
      ...from(silent.consulted)
    })
  const [first] = told
  return Check.refuted({
    value,
    detail: `no source at ${told.map(({ registry }) => registry).join(" nor at ")}`,
    consulted: opinions.map(({ consulted }) => consulted),
    observation: first?.reading.observation(),
    at: address
  })
}

import { Effect, Either, Option, Schema } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { CreationRecord } from "../../chain/sources/CreationRecord.js"
import * as SourceCall from "../../chain/sources/SourceCall.js"
import type { SourceReading } from "../../chain/sources/SourceReading.js"
import { VerifiedSource } from "../../chain/sources/VerifiedSource.js"
import { ChainState, type Receipt } from "../../chain/state/ChainState.js"
import { Address } from "../../domain/Address.js"
import * as Count from "../../domain/Count.js"
import { Hex } from "../../domain/Hex.js"
import { Timestamp } from "../../domain/Timestamp.js"
import * as Together from "../../runtime/Together.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

/**
 * The creation record of each registry and its `basis`. `creator` and `factory` are claims of the registry; `deployer`
 * is the sender in the transaction receipt, where the endpoint has it.
 */
const RecordValue = Schema.Struct({
  records: Schema.Array(
    Schema.Struct({
      registry: Schema.String,
      basis: Schema.Literal("receipt", "said"),
      transaction: Schema.NullOr(Hex),
      deployer: Schema.NullOr(Address),
      creator: Schema.NullOr(Address),
      factory: Schema.NullOr(Address),
      block: Schema.NullOr(Schema.NonNegativeInt),
      created_at: Schema.NullOr(Timestamp)
    })
  )
})

/**
 * A-06a: who created the contract and when, according to registries, also where the endpoint lacks old state. A record
 * has the basis `said` unless the receipt of its transaction shows the creation of the contract.
 *
 * - Confirmed: a registry has a record, and no receipt contradicts it. Where no receipt supports it, the item is not
 *   `verified`.
 * - Refuted: every registry that covers the chain answered, and none has a record.
 * - Unknown: none has a record and one did not answer; or receipts contradict every record.
 *
 * It does not apply where no registry covers the chain.
 */
export const creationRecord = Check.make({
  id: "contract.creation-record",
  code: "A-06a",
  version: 1,
  targets: ["contract", "token"],
  claim: "A registry names the creator of the contract",
  polarity: "neutral",
  severity: "info",
  dimension: "identity",
  value: RecordValue,
  run: (target) =>
    Effect.gen(function* () {
      const { registries } = yield* VerifiedSource
      if (registries.length === 0) return [Phrases.unknown("source_disabled", "no contract registry is configured")]
      const state = yield* ChainState
      const answers = yield* Together.forEach(registries, (registry) =>
        Effect.map(Effect.either(SourceCall.make(() => registry.creation(state, target.address))), (answer) => ({
          answer,
          registry
        }))
      )
      const told = answers.flatMap(({ answer, registry }): ReadonlyArray<Told> => {
        const place = { name: registry.name, url: registry.page(state, target.address), kind: "service" as const }
        return Either.match(answer, {
          onLeft: (error) => [
            { consulted: { ...place, answered: false, recipe: Option.none() }, answer: Either.left(error) }
          ],
          onRight: (reading) =>
            Option.toArray(reading).map((said) => ({
              consulted: { ...place, answered: true, recipe: Option.some(said.recipe) },
              answer: Either.right(said)
            }))
        })
      })
      if (told.length === 0) return Check.notApplicable
      const found = yield* Together.forEach(
        told.flatMap(({ answer, consulted }) =>
          Option.toArray(
            Option.flatMap(Either.getRight(answer), ({ observation, value }) =>
              Option.map(value, (record) => ({ consulted, observation, record }))
            )
          )
        ),
        (each) =>
          Effect.map(
            Option.match(each.record.transaction, {
              onNone: () => Effect.succeedNone,
              onSome: (transaction) => Effect.map(state.receipt(transaction), ({ value }) => value)
            }),
            (receipt): Found => ({ ...each, receipt })
          )
      )
      return [judge(target.address, state.block.number, told, found)]
    })
})

interface Told {
  readonly consulted: Check.Consulted
  readonly answer: Either.Either<SourceReading<Option.Option<CreationRecord>>, ChainError>
}

interface Found {
  readonly consulted: Check.Consulted
  readonly observation: SourceReading<unknown>["observation"]
  readonly record: CreationRecord
  readonly receipt: Option.Option<Receipt>
}

const judge = (
  contract: Address,
  pinned: number,
  told: ReadonlyArray<Told>,
  found: ReadonlyArray<Found>
): Check.Verdict<typeof RecordValue.Type> => {
  const standing = found
    .filter((each) => !isContradicted(each, contract, pinned))
    .sort((a, b) => Number(isBorneOut(b, contract)) - Number(isBorneOut(a, contract)))
  const from = (first: Check.Consulted | undefined) => ({
    consulted: told
      .map(({ consulted }) => consulted)
      .sort((a, b) => Number(b === first) - Number(a === first) || Number(b.answered) - Number(a.answered))
  })
  const [best] = standing
  if (best !== undefined) {
    const block = Option.orElse(
      Option.map(best.receipt, ({ blockNumber }) => blockNumber),
      () => best.record.block
    )
    const by = Option.orElse(
      Option.map(best.receipt, ({ from }) => from),
      () => best.record.creator
    )
    return Check.confirmed({
      ...from(best.consulted),
      value: { records: standing.map((each) => documentOf(each, contract)) },
      detail: [
        `created${Option.match(block, { onNone: () => "", onSome: (number) => ` in block ${number}` })}`,
        `${Option.match(by, { onNone: () => "", onSome: (account) => ` by ${account}` })}`,
        ` according to ${best.consulted.name}`,
        isBorneOut(best, contract) ? ", confirmed by the transaction receipt" : " (not confirmed by a receipt)"
      ].join(""),
      observation: best.observation(),
      verified: isBorneOut(best, contract),
      at: contract
    })
  }
  const [contradicted] = found
  if (contradicted !== undefined)
    return Phrases.unknown(
      "conflicting_sources",
      `receipts contradict the record of ${Phrases.few(found.map(({ consulted }) => consulted.name))}`,
      { ...from(contradicted.consulted), observation: contradicted.observation() }
    )
  const silent = told.find(({ answer }) => Either.isLeft(answer))
  if (silent !== undefined && Either.isLeft(silent.answer))
    return Phrases.unknown(silent.answer.left.reason, `${silent.consulted.name}: ${silent.answer.left.detail}`, {
      ...from(silent.consulted)
    })
  const [first] = told
  return Check.refuted({
    ...from(first?.consulted),
    value: { records: [] },
    detail: `no creation record in ${Count.of(told.length, "registry", "registries")} that cover the chain: ${Phrases.few(told.map(({ consulted }) => consulted.name))}`,
    observation: first === undefined || Either.isLeft(first.answer) ? undefined : first.answer.right.observation(),
    at: contract
  })
}

const isBorneOut = ({ receipt }: Found, contract: Address): boolean =>
  Option.exists(receipt, ({ created }) => Option.contains(created, contract))

/** A missing receipt contradicts nothing: many endpoints keep the receipts of the last months only. */
const isContradicted = (found: Found, contract: Address, pinned: number): boolean => {
  const { receipt, record } = found
  if (Option.exists(record.block, (block) => block > pinned)) return true
  return Option.exists(
    receipt,
    ({ blockNumber, from }) =>
      Option.exists(record.block, (block) => block !== blockNumber) ||
      (isBorneOut(found, contract) && Option.exists(record.creator, (creator) => creator !== from))
  )
}

const documentOf = (found: Found, contract: Address): (typeof RecordValue.Type)["records"][number] => {
  const { block, createdAt, creator, factory, transaction } = found.record
  return {
    registry: found.consulted.name,
    basis: isBorneOut(found, contract) ? "receipt" : "said",
    transaction: Option.getOrNull(transaction),
    deployer: Option.getOrNull(Option.map(found.receipt, ({ from }) => from)),
    creator: Option.getOrNull(creator),
    factory: Option.getOrNull(factory),
    block: Option.getOrNull(
      Option.orElse(
        Option.map(found.receipt, ({ blockNumber }) => blockNumber),
        () => block
      )
    ),
    created_at: Option.getOrNull(createdAt)
  }
}

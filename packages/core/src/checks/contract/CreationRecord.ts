import { Effect, Either, Option, Schema } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState, type Receipt } from "../../chain/ChainState.js"
import type { CreationRecord } from "../../chain/CreationRecord.js"
import type { SourceReading } from "../../chain/SourceReading.js"
import * as Together from "../../chain/Together.js"
import { VerifiedSource } from "../../chain/VerifiedSource.js"
import { Address } from "../../domain/Address.js"
import { Hex } from "../../domain/Hex.js"
import { Timestamp } from "../../domain/Timestamp.js"
import * as Check from "../Check.js"

/**
 * What each registry says of the creation, and what it rests on. `creator` and `factory` are the registry's words;
 * `deployer` signed the transaction, as the chain's own receipt of it says, where there is one.
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
 * A-06a: who created the contract and when, as registries say, also where the endpoint keeps too little to tell. A record
 * is `said` by its registry, and no more than that, unless the chain's receipt of the transaction that it names says
 * that this created the contract.
 *
 * - Confirmed: a registry has a record, and the chain says nothing else. Where no receipt bears it out, the item is not
 *   `verified`.
 * - Refuted: every registry that covers the chain was asked, and none has one.
 * - Unknown: none has one and one could not be asked; or the receipts of the chain contradict all that have.
 *
 * It does not apply where no registry covers the chain.
 *
 * @since 0.1.0
 * @category models
 */
export const creationRecord = Check.make({
  id: "contract.creation-record",
  code: "A-06a",
  version: 1,
  targets: ["contract", "token"],
  claim: "A registry says who created the contract",
  polarity: "neutral",
  severity: "info",
  dimension: "identity",
  value: RecordValue,
  run: (target) =>
    Effect.gen(function* () {
      const { registries } = yield* VerifiedSource
      if (registries.length === 0) return [Check.unknown("source_disabled", "no registry of contracts is configured")]
      const state = yield* ChainState
      const answers = yield* Together.forEach(registries, (registry) =>
        Effect.map(Effect.either(registry.creation(state, target.address)), (answer) => ({ answer, registry }))
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
        isBorneOut(best, contract) ? " and the receipt of the chain" : ""
      ].join(""),
      observation: best.observation(),
      verified: isBorneOut(best, contract),
      at: contract
    })
  }
  const [contradicted] = found
  if (contradicted !== undefined)
    return Check.unknown(
      "conflicting_sources",
      `the chain contradicts what ${found.map(({ consulted }) => consulted.name).join(" and ")} says`,
      { ...from(contradicted.consulted), observation: contradicted.observation() }
    )
  const silent = told.find(({ answer }) => Either.isLeft(answer))
  if (silent !== undefined && Either.isLeft(silent.answer))
    return Check.unknown(silent.answer.left.reason, `${silent.consulted.name}: ${silent.answer.left.detail}`, {
      ...from(silent.consulted)
    })
  const [first] = told
  return Check.refuted({
    ...from(first?.consulted),
    value: { records: [] },
    detail: `no record at ${told.map(({ consulted }) => consulted.name).join(" nor at ")}`,
    observation: first === undefined || Either.isLeft(first.answer) ? undefined : first.answer.right.observation(),
    at: contract
  })
}

const isBorneOut = ({ receipt }: Found, contract: Address): boolean =>
  Option.exists(receipt, ({ created }) => Option.contains(created, contract))

/** A receipt that the endpoint does not have contradicts nothing: many keep only those of the last months. */
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

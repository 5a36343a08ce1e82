import { Effect, Option, Schema } from "effect"
import { ChainState } from "../../chain/state/ChainState.js"
import { Address } from "../../domain/Address.js"
import * as ControlGraph from "../../domain/facts/ControlGraph.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import { isDead } from "../../facts/code/Code.js"
import { Functions } from "../../facts/code/Functions.js"
import * as StoredVariable from "../../facts/code/StoredVariable.js"
import { Control } from "../../facts/control/Control.js"
import * as Together from "../../runtime/Together.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

/**
 * Whether the owner is a dead address, both in the owner getter and in the storage variable that the getter returns. It
 * is not about powers of other accounts.
 */
export const renounced = Check.make({
  id: "control.renounced",
  code: "O-03",
  version: 1,
  targets: ["token", "contract"],
  claim: "Ownership is renounced",
  polarity: "protective",
  severity: "medium",
  dimension: "control",
  value: Schema.Struct({ owner: Address }),
  run: (target) =>
    Effect.gen(function* () {
      const control = yield* Control
      const { observation, value } = yield* control.of(target.address)
      if (value.owner === null) {
        return Option.match(ControlGraph.ownerGap(value), {
          onNone: () => Check.notApplicable,
          onSome: ({ reason }) => [Phrases.unknown(reason, "the owner getter was not read")]
        })
      }
      const seen = { value: { owner: value.owner }, observation: observation(), at: value.owner }
      if (value.owner === target.address)
        return [
          Check.refuted({
            ...seen,
            detail: "the contract is its own owner, so callers of its functions may use the owner's powers"
          })
        ]
      // The kind of the account itself: a contract that no account can use is still an owner.
      const kind = value.nodes.find(({ address }) => address === value.owner)?.kind ?? "unknown"
      switch (kind) {
        case "dead": {
          const { accounts, isFixed, isLent, isPlaced } = yield* behindGetters(target.address)
          const living = accounts.find((account) => !isDead(account))
          if (living !== undefined)
            return [
              Check.refuted({
                ...seen,
                detail: `the owner getter returns ${value.owner}, but its storage variable holds ${living}`
              })
            ]
          if (isLent)
            return [
              Phrases.unknown("dependency_unknown", "another contract decides the owner, which is a dead address now")
            ]
          if (!isPlaced)
            return [
              Phrases.unknown(
                "inconclusive",
                "the owner getter returns a dead address now and may return another variable later"
              )
            ]
          const isHeld = value.edges.some(
            ({ from, to }) =>
              to === target.address && value.nodes.some((node) => node.address === from && node.kind !== "dead")
          )
          const [gap] = ControlGraph.decidingGaps(value)
          if (isFixed && isHeld)
            return [
              Phrases.unknown(
                "inconclusive",
                "the owner getter always returns a dead address, but an account holds a power"
              )
            ]
          if (isFixed && gap !== undefined)
            return [
              Phrases.unknown(gap.reason, `the owner getter always returns a dead address, but ${Phrases.gap(gap)}`)
            ]
          return [Check.confirmed({ ...seen, detail: `the owner ${value.owner} is a dead address` })]
        }
        case "unknown":
          return [Phrases.unknown("dependency_unknown", `the kind of the owner ${value.owner} was not determined`)]
        default:
          return [Check.refuted({ ...seen, detail: `the owner ${value.owner} can act (${kind})` })]
      }
    })
})

/**
 * The accounts in the storage variables that the owner getters return. `isFixed`: they return no variable. `isLent`:
 * they call another contract. `isPlaced`: each of those variables has one fixed slot.
 */
const behindGetters = (address: Address) =>
  Effect.gen(function* () {
    const state = yield* ChainState
    const { value: code } = yield* (yield* Functions).of(address)
    const getters = code.logics.flatMap(({ flow }) =>
      flow.functions.filter(
        ({ selector }) => selector === Selectors.functions.owner || selector === Selectors.functions.getOwner
      )
    )
    const variables = getters.flatMap(({ returns }) => returns ?? [])
    const accounts = yield* Together.forEach(variables, ({ mask, slot }) =>
      Option.match(Option.all([StoredVariable.slotOf(slot), StoredVariable.addressFieldOf(mask)]), {
        onNone: () => Effect.succeed([]),
        onSome: ([place, field]) =>
          Effect.map(state.storage(address, place), (word) => [StoredVariable.accountIn(word.value, field)])
      })
    )
    return {
      accounts: accounts.flat(),
      isLent: getters.some(({ calls }) => calls.length > 0),
      isPlaced: variables.every(({ slot }) => Option.isSome(StoredVariable.slotOf(slot))),
      isFixed: getters.length > 0 && getters.every(({ returns }) => returns?.length === 0)
    }
  })

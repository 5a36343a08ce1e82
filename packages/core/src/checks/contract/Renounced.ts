import { Effect, Option, Schema } from "effect"
import { ChainState } from "../../chain/ChainState.js"
import * as Together from "../../chain/Together.js"
import { Address } from "../../domain/Address.js"
import * as ControlGraph from "../../domain/facts/ControlGraph.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import { isDead } from "../../facts/code/Code.js"
import { Functions } from "../../facts/code/Functions.js"
import * as StoredVariable from "../../facts/code/StoredVariable.js"
import { Control } from "../../facts/control/Control.js"
import * as Check from "../Check.js"

/**
 * Whether the owner is an address that nobody holds, in the getter that names him and in the variable that it answers
 * with. It says nothing about powers that are not the owner's.
 *
 * @since 0.1.0
 * @category models
 */
export const renounced = Check.make({
  id: "control.renounced",
  code: "O-03",
  version: 1,
  targets: ["token", "contract"],
  claim: "Ownership was given up",
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
          onSome: ({ reason }) => [Check.unknown(reason, "its owner getter could not be read")]
        })
      }
      const seen = { value: { owner: value.owner }, observation: observation(), at: value.owner }
      if (value.owner === target.address)
        return [
          Check.refuted({ ...seen, detail: "the contract owns itself, and does what its functions let others do" })
        ]
      // What the account itself is: a contract that nobody can use is an owner all the same.
      const kind = value.nodes.find(({ address }) => address === value.owner)?.kind ?? "unknown"
      switch (kind) {
        case "dead": {
          const { accounts, isFixed, isLent, isPlaced } = yield* behindGetters(target.address)
          const living = accounts.find((account) => !isDead(account))
          if (living !== undefined)
            return [
              Check.refuted({
                ...seen,
                detail: `its getter names ${value.owner}, and the variable that it answers with holds ${living}`
              })
            ]
          if (isLent)
            return [
              Check.unknown("dependency_unknown", "its owner is whom another contract names, which is nobody now")
            ]
          if (!isPlaced)
            return [
              Check.unknown("inconclusive", "its getter names nobody, and may answer with another variable later")
            ]
          const isHeld = value.edges.some(
            ({ from, to }) =>
              to === target.address && value.nodes.some((node) => node.address === from && node.kind !== "dead")
          )
          const [gap] = ControlGraph.decidingGaps(value)
          if (isFixed && isHeld)
            return [
              Check.unknown(
                "inconclusive",
                "its getter names nobody whatever it keeps, and somebody has a power over it"
              )
            ]
          if (isFixed && gap !== undefined)
            return [
              Check.unknown(
                gap.reason,
                `its getter names nobody whatever it keeps, and it could not be told who holds ${gap.what}`
              )
            ]
          return [Check.confirmed({ ...seen, detail: `nobody holds the owner ${value.owner}` })]
        }
        case "unknown":
          return [Check.unknown("dependency_unknown", `it could not be told what ${value.owner} is`)]
        default:
          return [Check.refuted({ ...seen, detail: `the owner ${value.owner} is alive (${kind})` })]
      }
    })
})

/**
 * The accounts in the variables that the getters of an owner answer with: `isFixed` where they answer with none, `isLent` where
 * they ask another contract, and `isPlaced` where all of those variables stand at one place each.
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

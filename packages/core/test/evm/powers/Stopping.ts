import { it } from "@effect/vitest"
import { Effect } from "effect"
import { assert } from "vitest"
import * as TokenPowers from "../../../src/evm/powers/TokenPowers.js"
import * as StorageFlow from "../../../src/evm/summary/StorageFlow.js"
import { contracts, describeCompiled } from "../Compiled.js"

/** The powers that stop transfers, with how each is held and by which functions; none where a power is not named. */
export type Stopping = Partial<Record<TokenPowers.Power, string>>

/** Holds who can stop transfers of contracts in Switches.sol, by name; `nobody` is what the title says where nobody can. */
export const describeStopping = (title: string, nobody: string, expected: Readonly<Record<string, Stopping>>): void =>
  describeCompiled(title, (pipeline) => {
    const contract = contracts(pipeline, "Switches.sol")

    for (const [name, said] of Object.entries(expected)) {
      const what = Object.entries(said).map(([power, how]) => `${power} ${how}`)
      it.effect(`reads ${name}: ${what.length === 0 ? nobody : what.join(", ")}`, () =>
        Effect.gen(function* () {
          const { code, names } = contract(name)
          const powers = TokenPowers.of(code, yield* StorageFlow.analyse(code))
          for (const power of TokenPowers.stopping) {
            const { levers, state } = powers[power]
            const told = [state, ...levers.map(({ selector }) => names.get(selector))].join(" ")
            assert.strictEqual(told, said[power] ?? "none", power)
          }
        })
      )
    }
  })

import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Seizure from "../../src/evm/Seizure.js"
import * as StorageFlow from "../../src/evm/StorageFlow.js"
import * as TokenPowers from "../../src/evm/TokenPowers.js"
import { compile, type Pipeline } from "./Compiled.js"

/** Transfers that take something off whoever sends nothing. */
const losing = {
  certain: ["EmptiedReceiver", "EmptiedReceiverFrom"],
  possible: ["EmptiedAfterwards", "EmptiedByAnybody", "LoweredReceiver"],
  none: ["BurningSender", "BurningTransfers"]
}

for (const pipeline of ["optimised", "plain", "ir"] as const satisfies ReadonlyArray<Pipeline>) {
  const compiled = compile(pipeline, Object.values(losing).flat(), "Losses.sol")
  const read = (name: string) =>
    Effect.gen(function* () {
      const code = compiled.get(name)?.code ?? "0x"
      const flow = yield* StorageFlow.analyse(code)
      return { ...TokenPowers.of(code, flow).seize, seizures: Seizure.of(flow) }
    })

  describe(`Seizure, ${pipeline} code`, () => {
    for (const name of losing.certain)
      it.effect(`finds that somebody who is written into the code empties others in a transfer of ${name}`, () =>
        Effect.gen(function* () {
          const { seizures, state } = yield* read(name)
          assert.strictEqual(state, "found")
          const [seizure] = seizures.filter(({ kind }) => kind === "balance")
          assert.deepInclude(seizure, { certain: true, privileged: true })
          assert.deepStrictEqual(
            seizure?.guards.map(({ kind }) => kind),
            ["constant"]
          )
        })
      )

    for (const name of losing.possible)
      it.effect(`does not say of ${name} that its transfers take nothing off receivers`, () =>
        Effect.gen(function* () {
          assert.notStrictEqual((yield* read(name)).state, "none")
        })
      )

    for (const name of losing.none)
      it.effect(`finds nothing that transfers of ${name} take off others`, () =>
        Effect.gen(function* () {
          assert.strictEqual((yield* read(name)).state, "none")
        })
      )
  })
}

import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as TokenPowers from "../../../../src/evm/powers/TokenPowers.js"
import * as TransferHook from "../../../../src/evm/powers/transfer/TransferHook.js"
import * as StorageFlow from "../../../../src/evm/summary/StorageFlow.js"
import * as TokenBooks from "../../../../src/evm/token/TokenBooks.js"
import { contracts, describeCompiled } from "../../Compiled.js"

type Found = readonly [
  hook: Pick<TransferHook.TransferHook, "stops" | "tells" | "takes"> & { readonly setters: number },
  states: { readonly [power in TokenPowers.Power]?: TokenPowers.PowerFinding["state"] }
]

const hooks: Readonly<Record<string, Found>> = {
  Taking: [
    { stops: true, tells: true, takes: true, setters: 1 },
    { pause: "found", blacklist: "found", seize: "found", whitelist: "unknown", limit: "unknown" }
  ],
  Checking: [
    { stops: true, tells: false, takes: false, setters: 1 },
    { pause: "found", blacklist: "unknown", seize: "none", whitelist: "unknown", limit: "unknown" }
  ],
  Attempting: [
    { stops: false, tells: true, takes: false, setters: 1 },
    { pause: "unknown", blacklist: "unknown", seize: "none", whitelist: "unknown", limit: "unknown" }
  ],
  Kept: [
    { stops: true, tells: true, takes: false, setters: 0 },
    { pause: "unknown", blacklist: "unknown", seize: "none", whitelist: "unknown", limit: "unknown" }
  ],
  Anybodys: [
    { stops: true, tells: true, takes: false, setters: 1 },
    { pause: "found", blacklist: "found", seize: "none", whitelist: "unknown", limit: "unknown" }
  ]
}

describeCompiled("TransferHook", (pipeline) => {
  const contract = contracts(pipeline, "Hooks.sol")

  for (const [name, [hook, states]] of Object.entries(hooks))
    it.effect(`${name}: what the hook can do to a transfer, and who can replace it`, () =>
      Effect.gen(function* () {
        const { code } = contract(name)
        const flow = yield* StorageFlow.analyse(code)
        const found = TransferHook.of(flow, TokenBooks.of(flow))
        assert.deepStrictEqual(
          found.map(({ setters, stops, takes, tells }) => ({ stops, tells, takes, setters: setters.length })),
          [hook]
        )
        const powers = TokenPowers.of(code, flow)
        for (const power of TokenPowers.powers)
          if (states[power] !== undefined) assert.deepStrictEqual([power, powers[power].state], [power, states[power]])
      })
    )

  it.effect("finds none where a transfer calls nobody", () =>
    Effect.gen(function* () {
      const flow = yield* StorageFlow.analyse(contract("Silent").code)
      assert.deepStrictEqual(TransferHook.of(flow, TokenBooks.of(flow)), [])
    })
  )
})

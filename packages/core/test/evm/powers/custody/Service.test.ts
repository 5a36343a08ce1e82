import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as TokenPowers from "../../../../src/evm/powers/TokenPowers.js"
import * as StorageFlow from "../../../../src/evm/summary/StorageFlow.js"
import { contracts, describeCompiled } from "../../Compiled.js"

/**
 * What the code of a contract that is no token says about the powers over its users: `!` a lever that is certain, `+`
 * one for a privileged caller. Powers that it has none of are left out.
 */
const expected: Record<string, Record<string, string>> = {
  Bank: {},
  OwnedBank: {},
  ShutBank: { pause: "found setShut!+" },
  Turns: {},
  OwnersTurns: { pause: "unknown reset+" },
  Guarded: {},
  GuardedByOwner: {},
  LeftEntered: { pause: "unknown enter+" },
  Sale: {},
  TimedSale: { pause: "found setStart!+" },
  MembersSale: { whitelist: "found setMember!+" },
  JoinedSale: {},
  BarringSale: { blacklist: "found bar!+" },
  CappedSale: { limit: "found setMost!+" },
  FixedCapSale: {},
  // A price is no limit, and whether it takes something from a buyer depends on its size.
  PricedSale: { tax: "unknown setPrice+", seize: "unknown" },
  MakingSale: { mint: "unknown", seize: "unknown" },
  AskingSale: { pause: "unknown", blacklist: "unknown", whitelist: "unknown", limit: "unknown" },
  MeasuringSale: {},
  PricingSale: { pause: "unknown", blacklist: "unknown", whitelist: "unknown", limit: "unknown" },
  // Who is destroyed with the contract is nobody by himself: no list does it, and no limit.
  Destructible: { pause: "unknown", seize: "unknown" },
  Pools: { pause: "unknown shut+" },
  Credited: { mint: "found credit!+" },
  PaidCredit: {},
  MovedCredit: { seize: "found move!+" },
  Docked: { seize: "found dock!+" },
  Refunding: {},
  Noted: {},
  ShutLedger: { pause: "found setShut!+" }
}

const read = (code: `0x${string}`) => Effect.map(StorageFlow.analyse(code), (flow) => TokenPowers.of(code, flow))

const summary = (powers: TokenPowers.TokenPowers, names: ReadonlyMap<string, string>): Record<string, string> =>
  Object.fromEntries(
    TokenPowers.powers.flatMap((power) => {
      const { levers, state } = powers[power]
      const by = levers.map(
        ({ certain, privileged, selector }) =>
          `${names.get(selector) ?? selector}${certain ? "!" : ""}${privileged ? "+" : ""}`
      )
      return state === "none" && levers.length === 0 ? [] : [[power, [state, ...new Set(by)].join(" ")]]
    })
  )

describeCompiled("Service", (pipeline) => {
  const contract = contracts(pipeline, "Services.sol")

  for (const [name, powers] of Object.entries(expected)) {
    const what = Object.keys(powers).length === 0 ? "nobody has power over it" : Object.keys(powers).join(", ")
    it.effect(`reads who decides over dealings with ${name}: ${what}`, () =>
      Effect.gen(function* () {
        const { code, names } = contract(name)
        assert.deepStrictEqual(summary(yield* read(code), names), powers)
      })
    )
  }

  it.effect("finds who writes down what is due where nobody deals, and calls nothing else absent", () =>
    Effect.gen(function* () {
      const { code, names } = contract("Allotted")
      const { mint, ...powers } = yield* read(code)
      assert.strictEqual(summary({ mint, ...powers }, names).mint, "found allot!+")
      for (const power of TokenPowers.powers)
        if (power !== "mint") assert.strictEqual(powers[power].state, "unknown", power)
    })
  )

  it.effect("calls nothing absent where nobody deals, or where any function may be answered", () =>
    Effect.gen(function* () {
      for (const name of ["Register", "Answering", "Nameless"]) {
        const powers = yield* read(contract(name).code)
        for (const power of TokenPowers.powers) {
          assert.strictEqual(powers[power].state, "unknown", `${name} ${power}`)
          assert.include(powers[power].reasons, "no_balances", `${name} ${power}`)
        }
      }
    })
  )
})

import { Address, Analyzer } from "@assay/core"
import { RpcFault } from "@assay/core/testing"
import { Effect, Either } from "effect"
import { assert, beforeAll, describe, it } from "vitest"
import * as Draw from "../../../../test/Draw.js"
import * as Tier from "../../../../test/Tier.js"
import * as World from "./World.js"

const megabyte = "62100000"

/** Runtime codes that no compiler would write, by what they do to whoever reads or calls them. */
const hostile = {
  // Answers a megabyte of zeros to every call.
  "a megabyte of return data": `0x${megabyte}6000f3`,
  "a megabyte of revert data": `0x${megabyte}6000fd`,
  "a loop without an end": "0x5b600056",
  // Stores 0x20 and a length of a megabyte before it returns them: a string of zeros.
  "a name of a megabyte": `0x6020600052${megabyte}602052${megabyte}6000f3`,
  // Says that its string is as long as a word can say.
  "a name that claims to be endless": "0x602060005260001960205260606000f3",
  // Calls itself with all the gas there is, for as long as there is any.
  "calls of itself without an end": "0x60006000600060006000305af15000",
  "an opcode that does not exist": "0xfe",
  "24 kB of places to jump to": `0x${"5b".repeat(24_576)}`,
  // Each jumps to where the calldata says, so that every place leads to every other one.
  "24 kB of jumps to anywhere": `0x${"5b60003556".repeat(4_915)}`,
  // Branches on a word of calldata each, so that there are two to the 3,500th paths.
  "24 kB of branches": `0x${Array.from({ length: 3_000 }, (_, index) => `60003561${(index * 8 + 7).toString(16).padStart(4, "0")}575b`).join("")}`,
  // Ends in the middle of a PUSH32.
  "24 kB of pushes": `0x${"7f".repeat(24_576)}`
} as const

const kinds = ["token", "contract", "wallet"] as const

describe("hostile code", () => {
  let world: World.World
  beforeAll(async () => {
    world = await World.start()
  })

  // Each as a token, the kind with the most checks; at landing as one of the other kinds too, in turn. What the endpoint
  // needs seconds to send takes turns before landing.
  const large = Object.keys(hostile).filter((what) => what.includes("megabyte"))
  const drawn = Draw.portion(large, large.length)
  const takes = (row: number, place: number, what: string): boolean =>
    row === 0
      ? Tier.landing || drawn.includes(what) || !large.includes(what)
      : Tier.landing && Draw.isCrossing(row, place, kinds.length - 1)
  for (const [row, kind] of kinds.entries())
    for (const [place, [what, code]] of Object.entries(hostile).entries())
      it.runIf(takes(row, place, what))(
        Tier.title(takes(row, place, what), `that is ${what} is analysed as a ${kind} within bounds`),
        async () => {
          const address = Address.checksum(`0x${Buffer.from(what).toString("hex").padEnd(40, "0").slice(0, 40)}`)
          await world.sandbox.rpc.call("anvil_setCode", [address, code])
          const { calls, outcome } = await world.run(
            Effect.gen(function* () {
              const analyzer = yield* Analyzer.Analyzer
              const faults = yield* RpcFault.RpcFault
              yield* faults.forget
              const outcome = yield* Effect.either(analyzer.analyze({ kind, address, chain: world.chain }))
              return { outcome, calls: (yield* faults.seen).length }
            })
          )
          if (Either.isLeft(outcome)) throw new Error(JSON.stringify({ ...outcome.left }))
          const analysis = outcome.right
          assert.isAtMost(calls, 600)
          // A document is what a store keeps and a client reads: what an attacker says has no room in it.
          assert.isAtMost(JSON.stringify(analysis).length, 500_000)
          assert.isAtMost(Math.max(...analysis.evidence.map((item) => item.detail.length)), 1_000)
          // Code that can do nothing at all is a harmless contract, but no token that is good to hold.
          if (kind === "token") assert.notInclude(["minimal", "low"], analysis.facts.risk?.level)
        }
      )
})

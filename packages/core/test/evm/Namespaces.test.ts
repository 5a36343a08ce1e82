import { StorageFlow, TokenPowers } from "@assay/core"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { assert } from "vitest"
import { contracts, describeCompiled } from "./Compiled.js"

describeCompiled("a token whose variables are in namespaces", (pipeline) => {
  const contract = contracts(pipeline, "Namespaces.sol")
  const read = (name: string) =>
    Effect.gen(function* () {
      const { code } = contract(name)
      const flow = yield* StorageFlow.analyse(code)
      return { flow, powers: TokenPowers.of(code, flow) }
    })

  it.effect("has the powers that its owner has, and no other where holders sign for a name in storage", () =>
    Effect.gen(function* () {
      const { flow, powers } = yield* read("Permitted")
      assert.deepStrictEqual(flow.completeness.gaps, [])
      assert.deepStrictEqual(
        TokenPowers.powers.filter((power) => powers[power].state !== "none"),
        ["mint"]
      )
      assert.strictEqual(powers.mint.state, "found")
    })
  )

  it.effect("has no other power than its owner's where a library publishes the name that its slots are a hash of", () =>
    Effect.gen(function* () {
      const { flow, powers } = yield* read("Published")
      assert.deepStrictEqual(flow.completeness.gaps, [])
      assert.deepStrictEqual(
        TokenPowers.powers.filter((power) => powers[power].state !== "none"),
        ["mint"]
      )
      // A hash of what nobody knows may be anybody's entry.
      const other = yield* read("Unpublished")
      assert.deepStrictEqual(other.flow.completeness.gaps, ["write_location"])
    })
  )

  it.effect("has the lists that stand behind the room that is left between variables", () =>
    Effect.gen(function* () {
      const { flow } = yield* read("Far")
      assert.deepStrictEqual(flow.completeness.gaps, [])
      assert.include(
        flow.functions.flatMap(({ writes }) => writes.map(({ slot }) => slot)),
        "0x194[][i]"
      )
    })
  )

  it.effect("has the powers that roles have", () =>
    Effect.gen(function* () {
      const { flow, powers } = yield* read("Roles")
      assert.deepStrictEqual(flow.completeness.gaps, [])
      assert.deepStrictEqual(
        TokenPowers.powers.filter((power) => powers[power].state !== "none"),
        ["mint", "pause"]
      )
      assert.deepStrictEqual([powers.mint.state, powers.pause.state], ["found", "found"])
      const guards = [...powers.mint.levers, ...powers.pause.levers].filter(({ certain }) => certain)
      // https://eips.ethereum.org/EIPS/eip-7201: openzeppelin.storage.AccessControl
      const roles = "0x2dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b626800[k][k]"
      for (const lever of guards)
        assert.isTrue(
          lever.guards.some((guard) => guard.kind === "entry" && guard.slot === roles),
          lever.selector
        )
    })
  )
})

import { StorageFlow, TokenPowers } from "@assay/core"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { assert } from "vitest"
import { contracts, describeCompiled } from "../Compiled.js"

type States = Partial<Record<TokenPowers.Power, TokenPowers.PowerFinding["state"]>>

// Every power that is not named is none.
const expected: Readonly<Record<string, { readonly why: string; readonly powers: States }>> = {
  OneForwarder: {
    why: "leaves to the code of an address whom it asks before it names him",
    powers: { mint: "found", seize: "unknown", bypass: "unknown" }
  },
  ManyForwarders: {
    why: "leaves to those on a list whom they ask before they name him",
    powers: { mint: "found", seize: "unknown", bypass: "unknown" }
  },
  SetForwarder: {
    why: "finds that whoever sets the forwarder sends in the name of all",
    powers: { mint: "found", seize: "found", bypass: "found" }
  },
  ListedForwarder: {
    why: "finds that whoever lists a forwarder sends in the name of all",
    powers: { mint: "found", seize: "found", bypass: "found" }
  },
  AnyForwarder: {
    why: "does not rule out that anybody sends in the name of all, where he may make himself a forwarder",
    powers: { mint: "unknown", seize: "unknown", bypass: "unknown" }
  },
  Everybody: {
    why: "finds that anybody sends in the name of all, where nothing is asked",
    powers: { mint: "found", seize: "found", bypass: "found" }
  },
  AllButOne: {
    why: "takes nobody for trusted who is only not another",
    powers: { mint: "unknown", seize: "unknown", bypass: "unknown" }
  },
  OpenForwarder: {
    why: "does not take the forwarder's part for the caller where another way leads there",
    // Once everybody is one, an approval of an exchange is noted for whom its last bytes name, and sales end.
    powers: { mint: "unknown", pause: "unknown", seize: "unknown", bypass: "unknown" }
  },
  Mirror: {
    why: "takes nobody for trusted who names himself",
    powers: { mint: "found", seize: "unknown", bypass: "found" }
  },
  MakingForwarder: {
    why: "finds what is done for the forwarder alone",
    powers: { mint: "found", seize: "unknown", bypass: "unknown" }
  },
  Collector: {
    why: "leaves to the code of an address what it does with what others have, wherever it does",
    powers: { mint: "found", seize: "unknown" }
  },
  Itself: { why: "is told nothing by a contract that calls nothing", powers: { mint: "found" } },
  Paying: { why: "is told nothing by a call of another function", powers: { mint: "found" } },
  Calling: {
    why: "leaves open whom a contract names that calls whatever it is told",
    powers: { mint: "found", seize: "unknown", bypass: "unknown" }
  },
  Written: {
    why: "takes nothing for the end of the calldata that was written since",
    powers: { mint: "unknown", seize: "unknown", bypass: "unknown" }
  },
  Elsewhere: {
    why: "takes nothing for the sender that is not the end of the calldata",
    powers: { mint: "unknown", seize: "unknown", bypass: "unknown" }
  }
}

describeCompiled("TrustedForwarder", (pipeline) => {
  const contract = contracts(pipeline, "Forwarders.sol")

  for (const [name, { powers, why }] of Object.entries(expected)) {
    it.effect(`${why} (${name})`, () =>
      Effect.gen(function* () {
        const { code } = contract(name)
        const found = TokenPowers.of(code, yield* StorageFlow.analyse(code))
        assert.deepStrictEqual(
          Object.fromEntries(TokenPowers.powers.map((power) => [power, found[power].state])),
          Object.fromEntries(TokenPowers.powers.map((power) => [power, powers[power] ?? "none"]))
        )
      })
    )
  }

  it.effect("does not say that a call moves the tokens of its caller alone", () =>
    Effect.gen(function* () {
      const { code } = contract("Puller")
      const { functions } = yield* StorageFlow.analyse(code)
      const [sender] = functions.flatMap(({ calls }) => calls.flatMap(({ order }) => order?.input ?? []))
      assert.deepStrictEqual(sender, [{ kind: "caller" }, { kind: "unknown" }])
    })
  )
})

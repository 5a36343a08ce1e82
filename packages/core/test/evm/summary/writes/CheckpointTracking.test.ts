import { StorageFlow, TokenPowers } from "@assay/core"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { assert } from "vitest"
import { contracts, describeCompiled } from "../../Compiled.js"

const stopping = ["pause", "blacklist", "whitelist", "limit"] as const

const harmless = {
  Standard: "OpenZeppelin's votes, in blocks",
  Timed: "OpenZeppelin's votes, in seconds",
  Upgradeable: "OpenZeppelin's votes behind texts in storage",
  Fixed: "lists of votes that transfers alone write",
  Minted: "lists of votes that go with what is minted and burnt",
  Swept: "hands out all that it holds itself with its votes",
  CountedMint: "numbered votes that go with what is minted",
  Noted: "a time that was the present one whenever it was noted"
}

const harmful = {
  Unmatched: "takes votes off others without their tokens",
  Crossed: "takes votes off those whom it gives tokens",
  Astray: "burns one account's tokens and takes another's votes",
  Halves: "takes tokens on one path and votes on another",
  Twice: "burns tokens once and takes votes twice",
  Rounds: "burns tokens once and takes votes in rounds",
  Anew: "goes on from another number than the last",
  Emptied: "keeps nothing on top of the last",
  Appointed: "writes whose votes go with nobody's tokens",
  SweptTwice: "hands out all that it holds once and takes votes twice",
  SweptAstray: "burns all that it holds and takes another's votes",
  SweptInPart: "burns what an account holds in parts and takes votes for more",
  GivenBack: "takes tokens with their votes and gives back the tokens alone",
  CountedOn: "counts on without keeping a number",
  NotedAhead: "notes a time that is yet to come",
  NotedElse: "notes another clock beside the one that is asked",
  Waiting: "notes the time from which somebody has to wait",
  Blocks: "notes seconds where blocks are asked"
}

describeCompiled("CheckpointTracking", (pipeline) => {
  const contract = contracts(pipeline, "Votes.sol")
  const stoppingIn = (name: string) =>
    Effect.gen(function* () {
      const { code } = contract(name)
      const found = TokenPowers.of(code, yield* StorageFlow.analyse(code))
      return stopping.filter((power) => found[power].state !== "none")
    })

  for (const [name, what] of Object.entries(harmless)) {
    // Of what an optimiser of Yul makes of it the last number of a list is not known for that.
    if (pipeline === "ir" && name === "Upgradeable") continue
    it.effect(`finds that nobody stops transfers by ${what} (${name})`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* stoppingIn(name), [])
      })
    )
  }

  for (const [name, what] of Object.entries(harmful))
    it.effect(`does not rule out that whoever ${what} stops transfers (${name})`, () =>
      Effect.gen(function* () {
        assert.isNotEmpty(yield* stoppingIn(name))
      })
    )
})

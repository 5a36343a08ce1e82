import { assert, beforeAll, describe, it } from "vitest"
import * as Draw from "../../../../test/Draw.js"
import * as Tier from "../../../../test/Tier.js"
import * as UnlistedChains from "./UnlistedChains.js"
import * as VenueLaw from "./VenueLaw.js"

// Of which less is known without a row, beside what their pools are worth; UnlistedChains.test.ts holds them to no more than less.
const less: Readonly<Partial<Record<UnlistedChains.Name, string>>> = {
  usdc: "its transfers depend on who calls, so that a router of ours shows nothing of the real one",
  unlaunched: "no pool shows which exchanges there are"
}

const names = UnlistedChains.names.filter((name) => !(name in less))

describe.runIf(Tier.landing)(Tier.title(Tier.landing, "exchanges that are found by their code"), () => {
  let chains: UnlistedChains.UnlistedChains
  beforeAll(async () => {
    chains = await UnlistedChains.start()
  })

  const id = UnlistedChains.ids[Draw.draw % UnlistedChains.ids.length] ?? 31_337

  it.each(names)(
    "say of %s what those of the address book do, but for what its pools are worth in dollars",
    async (name) => {
      const [known, found] = [VenueLaw.of(await chains.known(name)), VenueLaw.of(await chains.under(id, name))]
      // No dollar token is known there, and a token without a grave claim is not good before it is known not to be thin.
      const lines = VenueLaw.differences(known, { ...found, level: known.level, score: known.score })
      assert.deepStrictEqual(
        lines.filter((line) => !line.startsWith("liquidity.thin: ")),
        []
      )
      assert.include([known.level, "unknown"], found.level)
    }
  )
})

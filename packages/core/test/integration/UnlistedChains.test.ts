import type { Analysis } from "@assay/core"
import { Effect, Option } from "effect"
import { assert, beforeAll, describe, it } from "vitest"
import * as Draw from "../../../../test/Draw.js"
import * as Tier from "../../../../test/Tier.js"
import * as ChainBook from "../../src/chain/ChainBook.js"
import * as UnlistedChains from "./UnlistedChains.js"
import * as VenueLaw from "./VenueLaw.js"

// The same contracts under chain ids that the address book has no row for. What is found there by itself may be less than what the
// row gives, and never anything else.

describe("a chain that the address book has no row for", () => {
  let chains: UnlistedChains.UnlistedChains
  const known = new Map<UnlistedChains.Name, Promise<Analysis.Analysis>>()

  beforeAll(async () => {
    chains = await UnlistedChains.start()
  })

  const knownOf = (name: UnlistedChains.Name): Promise<Analysis.Analysis> => {
    const analysis = known.get(name) ?? chains.known(name)
    known.set(name, analysis)
    return analysis
  }

  // Under one id all targets, under the others two; before landing two under one.
  const first = UnlistedChains.ids[Draw.draw % UnlistedChains.ids.length]
  const taken = (id: number): ReadonlyArray<UnlistedChains.Name> => {
    if (Tier.all) return UnlistedChains.names
    if (!Tier.landing) return id === first ? ["plain", "honeypot"] : []
    return id === first
      ? UnlistedChains.names
      : ["plain", UnlistedChains.names[1 + Draw.placeOf(String(id), UnlistedChains.names.length - 1)] ?? "honeypot"]
  }

  it.each(UnlistedChains.ids)("%i has none", async (id) => {
    assert.isTrue(Option.isNone((await Effect.runPromise(ChainBook.of(id))).addresses))
  })

  for (const id of UnlistedChains.ids)
    it.runIf(taken(id).length > 0)(
      Tier.title(taken(id).length > 0, `${id} gives verdicts as with a row, or unknown, and no better level`),
      async () => {
        for (const name of taken(id)) {
          const [before, after] = [await knownOf(name), await chains.under(id, name)]
          assert.strictEqual(after.target.chain.id, id)
          const found = VenueLaw.contradictions("trap", VenueLaw.of(before), VenueLaw.of(after))
          assert.deepStrictEqual(found, [], name)
        }
      }
    )
})

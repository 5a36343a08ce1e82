import { Address, Analyzer, Chains } from "@assay/core"
import { Effect } from "effect"
import { assert, beforeAll, describe, it } from "vitest"
import * as Draw from "../../../../test/Draw.js"
import * as Tier from "../../../../test/Tier.js"
import * as VenueDecoys from "../facts/venue/VenueDecoys.js"
import * as VenueLaw from "./VenueLaw.js"
import * as World from "./World.js"

// What places that look like a market may make of a verdict: nothing where the exchanges of the chain are known, and nothing but
// less certainty where they have to be found.

const kinds = {
  plain: "honest",
  honeypot: "trap",
  sellTax90: "trap",
  thinPool: "honest",
  unlaunched: "honest"
} as const

type Subject = keyof typeof kinds

const decoys = Object.keys(VenueDecoys.all) as ReadonlyArray<VenueDecoys.Name>

/** Of the decoys, those with pools that are what their code says, so that something may be decided of these very pools. */
const real: ReadonlySet<VenueDecoys.Name> = new Set(["falseCoins", "forgedCoin", "worthlessQuote", "smallOpenPlace"])

/** Those that are none for a token: to one without a pool, a small open place is its market. */
const decoysOf = (subject: Subject): ReadonlyArray<VenueDecoys.Name> =>
  subject === "unlaunched" ? decoys.filter((name) => name !== "smallOpenPlace") : decoys

describe.runIf(Tier.landing)(Tier.title(Tier.landing, "places that look like a market of a token"), () => {
  let world: World.World
  let market: VenueDecoys.Market
  let chains: Readonly<Record<"known" | "unlisted", Chains.Chain>>
  const alone = new Map<string, Promise<VenueLaw.Verdict>>()

  beforeAll(async () => {
    world = await World.start()
    market = VenueDecoys.start(world.sandbox)
    const { id, name, endpoints, explorer } = world.chain
    // No row of the address book has the id of the sandbox chain itself.
    chains = { known: world.chain, unlisted: Chains.make({ id, name, endpoints, explorer, addressBook: id }) }
  })

  const verdict = (subject: Subject, on: keyof typeof chains): Promise<VenueLaw.Verdict> =>
    world
      .run(
        Effect.flatMap(Analyzer.Analyzer, (analyzer) =>
          analyzer.analyze({
            kind: "token",
            address: Address.checksum(world.sandbox.targets[subject].address),
            chain: chains[on]
          })
        )
      )
      .then(VenueLaw.of)

  /** Before anything was put beside it: none of the tests leaves anything. */
  const verdictAlone = (subject: Subject, on: keyof typeof chains): Promise<VenueLaw.Verdict> => {
    const known = alone.get(`${subject} ${on}`) ?? verdict(subject, on)
    alone.set(`${subject} ${on}`, known)
    return known
  }

  const place = (names: ReadonlyArray<VenueDecoys.Name>, subject: Subject) =>
    Effect.runPromise(
      Effect.forEach(names, (name) =>
        Effect.promise(() => VenueDecoys.all[name](market, world.sandbox.targets[subject].address))
      )
    )

  // The two traps take turns; an honest token that has next to nothing in its pool, and one that has none.
  const trap = Draw.placeOf("trap", 2) === 0 ? "honeypot" : "sellTax90"
  const thin = Draw.placeOf("thin", 2) === 0 ? "thinPool" : "unlaunched"
  const subjects: ReadonlyArray<Subject> = Tier.all
    ? (Object.keys(kinds) as ReadonlyArray<Subject>)
    : ["plain", trap, thin]

  it.each(subjects)(
    "change nothing of %s, all at once, where the exchanges of the chain are known; where they are not, nothing but to unknown",
    async (subject) => {
      const before = { known: await verdictAlone(subject, "known"), unlisted: await verdictAlone(subject, "unlisted") }
      await market.undone(async () => {
        const names = decoysOf(subject)
        const placed = await place(names, subject)
        const pools = placed.flatMap((each, i) => (real.has(names[i] as VenueDecoys.Name) ? each.pools : []))
        const found = await verdict(subject, "unlisted")
        assert.deepStrictEqual(VenueLaw.violations(kinds[subject], before.unlisted, found, pools), [])
        const known = await verdict(subject, "known")
        // Where there is no pool on the exchanges that are known, any place may be the market.
        const changed =
          subject === "unlaunched"
            ? VenueLaw.violations(kinds[subject], before.known, known)
            : VenueLaw.differences(before.known, known)
        assert.deepStrictEqual(changed, [])
      })
    }
  )

  const violations = (name: VenueDecoys.Name, subject: Subject): Promise<ReadonlyArray<string>> =>
    verdictAlone(subject, "unlisted").then((before) =>
      market.undone(async () => {
        const [placed] = await place([name], subject)
        const pools = real.has(name) ? (placed?.pools ?? []) : []
        return VenueLaw.violations(kinds[subject], before, await verdict(subject, "unlisted"), pools)
      })
    )

  it.each(decoys)(
    "%s makes no trap better and no honest token worse than unknown where exchanges have to be found",
    async (name) => {
      const taken = Draw.placeOf(name, 2) === 0 ? "honeypot" : "sellTax90"
      for (const subject of Tier.all ? subjects : (["plain", taken] as const))
        if (decoysOf(subject).includes(name)) assert.deepStrictEqual(await violations(name, subject), [], subject)
    }
  )

  it("a pool of an exchange that is not known is no absence of pools, where the others are known", () =>
    market.undone(async () => {
      await place(["falsePair"], "unlaunched")
      const { states } = await verdict("unlaunched", "known")
      const said = ["liquidity.pools", "liquidity.thin", "trade.route", "trade.holders-blocked"].map((id) =>
        states.get(id)
      )
      assert.deepStrictEqual(said, ["unknown", "unknown", "unknown", "unknown"])
    }))

  it("a small open place is the market of a token that has no other, where exchanges have to be found", () =>
    market.undone(async () => {
      await place(["smallOpenPlace"], "unlaunched")
      const { states } = await verdict("unlaunched", "unlisted")
      assert.deepStrictEqual([states.get("trade.route"), states.get("liquidity.pools")], ["confirmed", "confirmed"])
    }))
})

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Address, type Analysis, Analyzer } from "@assay/core"
import { Sandbox, Targets } from "@assay/sandbox"
import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../../test/Tier.js"
import * as TargetsOfRun from "./TargetsOfRun.js"
import * as World from "./World.js"

type Item = Analysis.Analysis["evidence"][number]

const verdict = ({ id, reason, state, value }: Item) => ({ id, state, value, reason })

/** When a contract was created, as the evidence says it. */
interface Origin {
  readonly after_block: number | null
  readonly by_block: number
  readonly basis: string
}

/** Whether an origin says less than another, and nothing against it. */
const isLess = (whole: Item, item: Item): boolean => {
  if (item.state === "unknown") return item.reason === "archive_required"
  const [before, after] = [whole.value, item.value] as unknown as readonly [Origin, Origin]
  return (
    item.state === whole.state &&
    before.basis === "code" &&
    after.basis === "events" &&
    after.after_block === null &&
    after.by_block >= before.by_block
  )
}

// A loaded chain keeps the state of its newest block only, as many endpoints do.
const withoutHistory: Readonly<Record<string, (whole: Item, item: Item) => boolean>> = {
  "endpoint.capable": (whole, { state, value }) =>
    state === "refuted" &&
    JSON.stringify(value) === JSON.stringify({ ...(whole.value as Record<string, boolean>), archive: false }),
  "contract.provenance": isLess
}

const names = Object.keys(await Sandbox.targets()) as ReadonlyArray<Targets.Name>
const first: ReadonlySet<string> = new Set(Targets.first)

describe("a chain that was saved and loaded", () => {
  let folder: string
  let built: World.World
  let loaded: World.World
  let sandbox: Sandbox.Sandbox
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "assay-saved-chain-"))
    built = await World.start()
    sandbox = await Sandbox.start({ state: join(folder, "state") })
    loaded = World.over(sandbox)
  })
  afterAll(async () => {
    await sandbox?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const analyze = ({ chain, run, sandbox }: World.World, name: Targets.Name) => {
    const { address, kind } = sandbox.targets[name]
    return run(
      Effect.flatMap(Analyzer.Analyzer, (analyzer) =>
        analyzer.analyze({ kind, address: Address.checksum(address), chain })
      )
    )
  }

  for (const name of names) {
    const runs = Tier.all || (first.has(name) && TargetsOfRun.has(name))
    it.runIf(runs)(
      Tier.title(runs, `gives the score and verdicts of the built chain for ${name}, less what only old state tells`),
      async () => {
        const whole = await analyze(built, name)
        const analysis = await analyze(loaded, name)
        assert.strictEqual(analysis.block.hash, whole.block.hash)
        assert.strictEqual(analysis.facts.risk?.score, whole.facts.risk?.score)
        assert.strictEqual(analysis.facts.risk?.level, whole.facts.risk?.level)
        const items = new Map(analysis.evidence.map((item) => [item.id, item]))
        const expected = whole.evidence.map((item) => {
          const other = items.get(item.id)
          return other !== undefined && withoutHistory[item.id]?.(item, other) ? other : item
        })
        assert.deepStrictEqual(analysis.evidence.map(verdict), expected.map(verdict))
      }
    )
  }
})

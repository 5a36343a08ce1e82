import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import * as Tier from "../../../test/Tier.js"
// @ts-expect-error: a script without types.
import * as untyped from "../scripts/compileFixtures.mjs"

interface Fixture {
  readonly source: string
  readonly pipeline: string
  readonly output: string
}

const { compile, fixtures, isCurrent, strays } = untyped as {
  readonly fixtures: () => ReadonlyArray<Fixture>
  readonly isCurrent: (fixture: Fixture) => boolean
  readonly compile: (fixture: Fixture) => string
  readonly strays: () => ReadonlyArray<string>
}

describe("compiled fixtures", () => {
  it("are of the sources, imports, settings and compiler that are there: `npm run generate` makes them anew", () => {
    const stale = fixtures().filter((fixture) => !isCurrent(fixture))
    assert.deepStrictEqual(
      stale.map(({ pipeline, source }) => `${source}, ${pipeline}`),
      []
    )
    assert.deepStrictEqual(strays(), [])
  })

  // One in `npm test`; all in `npm run test:all`, which takes ten minutes of CPU.
  for (const fixture of fixtures()) {
    const runs = Tier.all || fixture.source.endsWith("/Texts.sol")
    it.runIf(runs)(Tier.title(runs, `has the bytes that ${fixture.source} compiles to, ${fixture.pipeline}`), () => {
      assert.strictEqual(compile(fixture), readFileSync(new URL(fixture.output, import.meta.url), "utf8"))
    })
  }
})

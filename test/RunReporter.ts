import { relative } from "node:path"
import type { Reporter, TestModule } from "vitest/node"
import * as Tier from "./Tier.js"

/** What the title of a test says that is skipped for a reason. */
const notes = [Tier.note, ": skipped, as "]

/**
 * What a run says of itself: the command that repeats its draw. Before a change lands it fails where a test is skipped that
 * does not say why in its title: that there is no Postgres on this machine, or that `npm run test:all` has it.
 */
export default class RunReporter implements Reporter {
  readonly #tier: Tier.Tier
  readonly #draw: number

  constructor({ draw, tier }: { readonly tier: Tier.Tier; readonly draw: number }) {
    this.#tier = tier
    this.#draw = draw
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    if (this.#tier === "all") return
    const more = this.#tier === "edit" ? "" : ` -- --mode ${this.#tier}`
    console.log(`\n This run again: ASSAY_TEST_DRAW=${this.#draw} npm test${more}`)
    if (this.#tier === "edit") return
    const silent = RunReporter.unexplained(modules)
    if (silent.length === 0) return
    console.error(`\n Skipped, and no title says why:\n${silent.join("\n")}`)
    process.exitCode = 1
  }

  static unexplained(modules: ReadonlyArray<TestModule>): ReadonlyArray<string> {
    return (
      modules
        // `-t` skips what it does not name.
        .filter(({ project }) => project.config.testNamePattern === undefined)
        .flatMap(({ children, moduleId }) =>
          [...children.allTests("skipped")].flatMap(({ fullName }) =>
            notes.some((note) => fullName.includes(note)) ? [] : [`${relative(process.cwd(), moduleId)} > ${fullName}`]
          )
        )
    )
  }
}

import { existsSync } from "node:fs"
import { relative } from "node:path"
import { fileURLToPath } from "node:url"
import { BaseSequencer, type TestSpecification } from "vitest/node"

const root = fileURLToPath(new URL("..", import.meta.url))

/**
 * Files that take a minute and more at landing. A checkout without times of an earlier run begins with the largest files, and
 * many of these are small: one that began last would leave the other worker without work for as long as it takes.
 */
export const longest: ReadonlyArray<string> = [
  "packages/core/test/integration/Truth.test.ts",
  "packages/core/test/integration/Faults.test.ts",
  "packages/core/test/integration/Hostile.test.ts",
  "packages/server/test/Process.test.ts",
  "testing/sandbox/test/chain/SavedState.test.ts",
  "testing/fleet/test/Fleet.test.ts",
  "packages/server/test/integration/WatchCrash.test.ts",
  "packages/storage-postgres/test/PgStorage.test.ts",
  "packages/demo/test/Demo.test.ts",
  "packages/storage-sqlite/test/SqliteProcesses.test.ts",
  "packages/storage-sqlite/test/SqliteStorage.test.ts",
  "packages/server/test/cli/Streams.test.ts",
  "packages/core/test/integration/VenueDecoys.test.ts",
  "packages/server/test/mcp/AgentGuide.test.ts"
]

/** Those of {@link longest} that are no file. */
export const missing = (): ReadonlyArray<string> => longest.filter((name) => !existsSync(`${root}${name}`))

/** Runs the longest files first, and the others in the order of vitest. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const place = ({ moduleId }: TestSpecification): number => {
      const found = longest.indexOf(relative(root, moduleId).replaceAll("\\", "/"))
      return found < 0 ? longest.length : found
    }
    return (await super.sort(files)).sort((a, b) => place(a) - place(b))
  }
}

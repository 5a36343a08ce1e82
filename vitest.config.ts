import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import * as Draw from "./test/Draw.js"
import LongestFirst from "./test/LongestFirst.js"
import RunReporter from "./test/RunReporter.js"
import * as Tier from "./test/Tier.js"

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig(({ mode }) => {
  const tier = Tier.of(mode)
  const draw = Draw.make()
  return {
    resolve: {
      alias: [
        { find: /^#sha256$/, replacement: source("./packages/core/src/domain/Sha256.ts") },
        { find: /^#evmole$/, replacement: source("./packages/core/src/evm/bytecode/EvmolePackage.ts") },
        { find: /^@assay\/core\/testing$/, replacement: source("./packages/core/src/testing/index.ts") },
        { find: /^@assay\/sandbox\/(.+)$/, replacement: source("./testing/sandbox/src/$1.ts") },
        { find: /^@assay\/(core|sdk|storage-sql)\/(.+)$/, replacement: source("./packages/$1/src/$2.ts") },
        {
          find: /^@assay\/(core|demo|sdk|server|storage-postgres|storage-sql|storage-sqlite)$/,
          replacement: source("./packages/$1/src/index.ts")
        }
      ]
    },
    test: {
      include: [
        "packages/*/test/**/*.test.ts",
        "examples/*/test/**/*.test.ts",
        "testing/*/test/**/*.test.ts",
        "test/**/*.test.ts"
      ],
      env: { ASSAY_TEST_DRAW: String(draw) },
      reporters: ["default", "./scripts/SlowestFiles.mjs", new RunReporter({ tier, draw })],
      slowTestThreshold: 5_000,
      sequence: { sequencer: LongestFirst },
      // A bound of what hangs, and no measure of speed. Larger tiers have more in a test.
      testTimeout: tier === "edit" ? 600_000 : 1_800_000,
      hookTimeout: tier === "edit" ? 600_000 : 1_800_000,
      maxWorkers: 2,
      minWorkers: 1,
      // Half of the time of a small file would go into loading the engine anew, and each would build a sandbox chain of its
      // own. So files share a process: whoever changes it (process.env, Error.stackTraceLimit) sets it back.
      setupFiles: ["./vitest.setup.ts"],
      globalSetup: ["./vitest.build.ts"],
      pool: "forks",
      poolOptions: { forks: { isolate: false, execArgv: ["--max-semi-space-size=64"] } }
    }
  }
})

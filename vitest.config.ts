import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig(({ mode }) => ({
  resolve: {
    alias: [
      { find: /^@assay\/core\/testing$/, replacement: source("./packages/core/src/testing/index.ts") },
      { find: /^@assay\/sandbox\/(.+)$/, replacement: source("./packages/sandbox/src/$1.ts") },
      { find: /^@assay\/core\/(.+)$/, replacement: source("./packages/core/src/$1.ts") },
      {
        find: /^@assay\/(core|demo|server|simulation|storage-postgres|storage-sqlite|sandbox)$/,
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
    reporters: ["default", "./scripts/SlowestFiles.mjs"],
    slowTestThreshold: 5_000,
    // A bound of what hangs, and no measure of speed. What `npm run test:all` has more of takes longer.
    testTimeout: mode === "all" ? 300_000 : 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    minWorkers: 1,
    // Half of the time of a small file would go into loading the engine anew, and each would build a sandbox chain of its
    // own. So files share a process: whoever changes it (process.env, Error.stackTraceLimit) sets it back.
    setupFiles: ["./vitest.setup.ts"],
    globalSetup: ["./vitest.build.ts"],
    pool: "forks",
    poolOptions: { forks: { isolate: false, execArgv: ["--max-semi-space-size=64"] } }
  }
}))

import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  resolve: {
    alias: [
      { find: /^@assay\/core\/testing$/, replacement: source("./packages/core/src/testing/index.ts") },
      { find: /^@assay\/core\/(.+)$/, replacement: source("./packages/core/src/$1.ts") },
      { find: /^@assay\/(core|server|storage-sqlite|sandbox)$/, replacement: source("./packages/$1/src/index.ts") }
    ]
  },
  test: {
    include: ["packages/*/test/**/*.test.ts", "examples/*/test/**/*.test.ts", "test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    minWorkers: 1
  }
})

import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as SettingNames from "../src/SettingNames.js"

const namesIn = (path: string): ReadonlyArray<string> =>
  readFileSync(fileURLToPath(new URL(path, import.meta.url)), "utf8").match(/(?<=["`])ASSAY_[A-Z_]*[A-Z](?=["`])/g) ??
  []

describe("SettingNames", () => {
  it("knows every setting that is read and every one in the README", () => {
    for (const file of ["../src/ServerConfig.ts", "../README.md"])
      for (const name of namesIn(file)) assert.isTrue(SettingNames.known.has(name), `${name} of ${file}`)
  })

  it("tells what was probably meant within two edits, and lists what is nothing known", () => {
    assert.deepStrictEqual(
      SettingNames.review(["PATH", "ASSAY_HSOT", "ASSAY_RPC_URL", "ASSAY_DAYLY_QOTA", "ASSAY_COLOUR", "ASSAY_PORT"]),
      {
        misspelled: [
          { name: "ASSAY_HSOT", meant: "ASSAY_HOST" },
          { name: "ASSAY_RPC_URL", meant: "ASSAY_RPC_URLS" },
          { name: "ASSAY_DAYLY_QOTA", meant: "ASSAY_DAILY_QUOTA" }
        ],
        unknown: ["ASSAY_COLOUR"]
      }
    )
  })

  it("takes what Kubernetes adds for a service of this name for no setting", () => {
    const added = [
      "ASSAY_SERVICE_HOST",
      "ASSAY_SERVICE_PORT",
      "ASSAY_SERVICE_PORT_HTTP",
      "ASSAY_PORT_8787_TCP",
      "ASSAY_PORT_8787_TCP_ADDR",
      "ASSAY_METRICS_SERVICE_HOST",
      "ASSAY_METRICS_PORT_9090_TCP_PROTO"
    ]
    assert.deepStrictEqual(SettingNames.review(added), { misspelled: [], unknown: [] })
  })
})

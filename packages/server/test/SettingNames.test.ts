import { assert, describe, it } from "@effect/vitest"
import * as SettingNames from "../src/SettingNames.js"

describe("SettingNames", () => {
  it("names what was probably meant within two edits, and lists what is nothing known", () => {
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

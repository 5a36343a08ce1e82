import { Checks } from "@assay/core"
import type { ServerConfig } from "@assay/server"
import { assert, describe, it } from "@effect/vitest"
import { Option, Redacted } from "effect"
import * as SourceNames from "../src/SourceNames.js"
import * as Sources from "../src/Sources.js"

const none: ServerConfig.Sources = {
  sourcify: Option.none(),
  etherscan: Option.none(),
  signatures: Option.none(),
  fourByte: Option.none(),
  goplus: Option.none()
}

const added = (sources: Partial<ServerConfig.Sources>) =>
  Sources.checks({ ...none, ...sources })
    .slice(Checks.all.length)
    .map(({ id }) => id)

describe("Sources", () => {
  it("add their checks where they are configured, and none otherwise", () => {
    assert.deepStrictEqual(Sources.checks(none), [...Checks.all])
    const ofRegistries = ["contract.verified", "contract.creation-record"]
    assert.deepStrictEqual(added({ sourcify: Option.some("https://x.example") }), ofRegistries)
    assert.deepStrictEqual(
      added({ etherscan: Option.some({ key: Redacted.make("k"), url: "https://x.example" }) }),
      ofRegistries
    )
    assert.deepStrictEqual(added({ signatures: Option.some("https://x.example") }), ["contract.function-names"])
    assert.deepStrictEqual(added({ fourByte: Option.some("https://x.example") }), ["contract.function-names"])
    assert.deepStrictEqual(added({ goplus: Option.some("https://x.example") }), [
      "opinion.honeypot",
      "opinion.powers",
      "opinion.flagged"
    ])
  })

  it("are named for the log, without a key", () => {
    assert.deepStrictEqual(SourceNames.of(none), [])
    assert.deepStrictEqual(
      SourceNames.of({ ...none, etherscan: Option.some({ key: Redacted.make("hunter2"), url: "https://x.example" }) }),
      ["Etherscan"]
    )
    assert.deepStrictEqual(
      SourceNames.of({ ...none, signatures: Option.some("https://x"), fourByte: Option.some("https://y") }),
      ["signature database", "4byte.directory"]
    )
  })
})

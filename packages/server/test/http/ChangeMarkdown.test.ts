import { describe, it } from "@effect/vitest"
import { assert } from "vitest"
import * as ChangeMarkdown from "../../src/http/ChangeMarkdown.js"
import { report } from "../TestServer.js"

const change = {
  id: "token.mintable",
  subject: "evidence",
  kind: "state_changed",
  path: "/evidence/token.mintable",
  before: { state: "refuted", value: null },
  after: { state: "confirmed", value: "`x`" },
  delta: null,
  severity: "high",
  direction: "worse",
  verified: true,
  title: "# Claim [here](https://example.com) <script>\n- now",
  source_url: "https://example.com/address/0x1"
} as const

describe("ChangeMarkdown", () => {
  it("names both sides, the risk and every change with its source", () => {
    const text = ChangeMarkdown.render({
      ...report,
      status: "changed",
      base: report.head,
      risk: { score_before: 71, score_after: 38, score_delta: -33, level_before: "low", level_after: "high" },
      changes: [{ ...change, title: "Mintable" }]
    })
    assert.include(text, "# Changed\n")
    assert.include(text, "Risk: low (71) → high (38)")
    assert.include(text, "- **high**, worse: Mintable (`token.mintable`, state_changed)")
    assert.include(text, "([source](<https://example.com/address/0x1>))")
  })

  it("lets nothing that came from the chain write markup", () => {
    const text = ChangeMarkdown.render({ ...report, changes: [change] })
    const line = text.split("\n").find((candidate) => candidate.startsWith("- ")) ?? ""
    assert.include(
      line,
      "\\# Claim \\[here\\]\\(https://example.com\\) \\<script\\> \\- now".replace("\\- now", "- now")
    )
    assert.notMatch(line.replace("([source](<https://example.com/address/0x1>))", ""), /(?<!\\)\[/)
    assert.strictEqual((line.match(/`/g) ?? []).length, 6)
  })
})

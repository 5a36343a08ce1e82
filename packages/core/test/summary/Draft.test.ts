import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import * as Controller from "../../src/domain/Controller.js"
import * as Briefing from "../../src/summary/Briefing.js"
import * as Draft from "../../src/summary/Draft.js"
import * as Documents from "../../src/testing/Documents.js"
import { evidence, input, owner } from "./Inputs.js"

type State = "confirmed" | "refuted" | "unknown"

const mintable = { id: "token.mintable", state: "confirmed" as State }
const upgradeable = { id: "proxy.upgradeable", state: "refuted" as State }
const locked = { id: "liquidity.locked", state: "unknown" as State }
const honeypot = { id: "trade.honeypot", state: "refuted" as State }
const taxed = { id: "trade.taxed", state: "confirmed" as State }

const risk = input().facts.risk

const examined = (
  sentences: Draft.Draft["sentences"],
  changes: Partial<Draft.Draft> = {},
  of: Parameters<typeof Briefing.make>[0] = input()
) =>
  Either.merge(
    Draft.examine(
      { level: risk?.level ?? "unknown", score: risk?.score ?? null, sentences, ...changes },
      Briefing.make(of)
    )
  )

const saying = (text: string, ...cited: Draft.Draft["sentences"][number]["evidence"]) => ({ text, evidence: cited })

describe("Draft.examine", () => {
  it("shows sentences that the evidence bears out, each with the ids that it rests on", () => {
    assert.strictEqual(
      examined([
        saying(`The supply can be increased by the single key ${owner}.`, mintable),
        saying("A sale costs 10% and a purchase 4.5% in tax.", taxed),
        saying("The code cannot be replaced.", upgradeable),
        saying("It was shown that what was bought can be sold.", honeypot),
        saying("Whether the liquidity is locked could not be decided.", locked)
      ]),
      [
        `The supply can be increased by the single key ${owner}. [token.mintable]`,
        "A sale costs 10% and a purchase 4.5% in tax. [trade.taxed]",
        "The code cannot be replaced. [proxy.upgradeable]",
        "It was shown that what was bought can be sold. [trade.honeypot]",
        "Whether the liquidity is locked could not be decided. [liquidity.locked]"
      ].join(" ")
    )
  })

  const refused: ReadonlyArray<readonly [Draft.Refusal, string, Draft.Draft["sentences"]]> = [
    ["shape", "says nothing", []],
    ["shape", "is too long", Array.from({ length: 9 }, () => saying("The supply can be increased.", mintable))],
    ["shape", "has an endless sentence", [saying(`The supply can be increased${" very".repeat(80)} much.`, mintable)]],
    ["shape", "holds markup", [saying("The supply <b>can</b> be increased.", mintable)]],
    ["shape", "turns the direction of writing", [saying("The supply can be increased.\u202e", mintable)]],
    ["evidence", "rests on nothing", [saying("The supply can be increased.")]],
    ["evidence", "cites what does not exist", [saying("It was audited.", { id: "token.audited", state: "confirmed" })]],
    [
      "evidence",
      "cites a subject that does not exist",
      [saying("The supply can be increased.", { id: `token.mintable:${owner}`, state: "confirmed" })]
    ],
    [
      "state",
      "takes a refuted item for confirmed",
      [saying("The code can be replaced.", { ...upgradeable, state: "confirmed" })]
    ],
    [
      "state",
      "takes an unknown item for refuted",
      [saying("The liquidity is not locked.", { ...locked, state: "refuted" })]
    ],
    ["state", "denies what is confirmed", [saying("The supply cannot be increased.", mintable)]],
    ["state", "denies it in other words", [saying("There is nobody who can increase the supply.", mintable)]],
    ["state", "affirms what is refuted", [saying("The code can be replaced.", upgradeable)]],
    ["state", "affirms what is unknown", [saying("The liquidity is locked.", locked)]],
    ["state", "denies what is unknown", [saying("The liquidity is not locked.", locked)]],
    ["state", "mixes states in a sentence", [saying("Minting is possible, upgrading is not.", mintable, upgradeable)]],
    ["reassurance", "calls it safe", [saying("The supply can be increased, which is safe.", mintable)]],
    ["reassurance", "calls it trustworthy", [saying("A trusted team can increase the supply.", mintable)]],
    ["reassurance", "gives advice", [saying("The supply can be increased, so you should sell.", mintable)]],
    ["link", "holds a link", [saying("The supply can be increased, see https://evil.example/x.", mintable)]],
    ["link", "holds a domain", [saying("The supply can be increased, claim at evil.example now.", mintable)]],
    ["link", "holds a handle", [saying("The supply can be increased, ask @helper.", mintable)]],
    ["address", "holds an address it was not told", [saying(`The key ${Documents.address(99)} can mint.`, mintable)]],
    ["address", "holds a piece of an address", [saying("The key 0xabcdef… can increase the supply.", mintable)]],
    ["number", "holds a number it was not told", [saying("A sale costs 12% in tax.", taxed)]],
    ["number", "changes a number", [saying("A sale costs 10.5% in tax.", taxed)]],
    [
      "risk",
      "names another level",
      [saying("The supply can be increased, yet this is a minimal-risk token.", mintable)]
    ],
    ["risk", "names another level elsewhere", [saying("The risk is low though the supply can be increased.", mintable)]]
  ]
  for (const [because, what, sentences] of refused)
    it(`refuses a text that ${what}`, () => {
      assert.strictEqual(examined(sentences), because)
    })

  it("refuses the whole text for one sentence", () => {
    const good = saying("The supply can be increased.", mintable)
    assert.strictEqual(examined([good, good, saying("It is safe.", mintable)]), "reassurance")
  })

  it("refuses another score or level than was found", () => {
    const sentences = [saying("The supply can be increased.", mintable)]
    assert.strictEqual(examined(sentences, { score: 99 }), "risk")
    assert.strictEqual(examined(sentences, { score: null }), "risk")
    assert.strictEqual(examined(sentences, { level: "minimal" }), "risk")
    assert.strictEqual(examined(sentences, {}, input({ facts: { ...input().facts, risk: null } })), "risk")
  })

  it("does not hold a name that others chose against a sentence that quotes it, unless it would reassure", () => {
    const sentences = (name: string) => [saying(`The supply of "${name}" can be increased.`, mintable)]
    assert.include(examined(sentences("Not 4 Sale"), {}, input({}, { name: "Not 4 Sale" })), "Not 4 Sale")
    assert.strictEqual(examined(sentences("Safe Moon"), {}, input({}, { name: "Safe Moon" })), "reassurance")
    assert.strictEqual(examined(sentences("evil.example"), {}, input({}, { name: "evil.example" })), "link")
  })

  it("takes no word of a name for one of the sentence", () => {
    const named = input({}, { name: "Never", symbol: "Unknown" })
    assert.strictEqual(examined([saying('The code of "Never" can be replaced.', upgradeable)], {}, named), "state")
    assert.strictEqual(examined([saying('The liquidity of "Unknown" is locked.', locked)], {}, named), "state")
    assert.include(examined([saying('The supply of "Never" can be increased.', mintable)], {}, named), "Never")
  })

  it("lets a Safe be named where one is among the evidence, and nothing else be called so", () => {
    const [first, ...rest] = evidence
    const held = input({
      evidence: [
        {
          ...first,
          controller: Controller.make("safe", { address: owner, threshold: 2, signers: 3 })
        } as (typeof evidence)[number],
        ...rest
      ]
    })
    const says = (text: string) => examined([saying(text, mintable)], {}, held)
    assert.include(says("A 2-of-3 Safe with 3 signers can increase the supply through a Safe account."), "Safe")
    assert.strictEqual(says("The supply can be increased, but it is a Safe investment."), "reassurance")
    assert.strictEqual(examined([saying("A Safe account can increase the supply.", mintable)]), "reassurance")
  })
})

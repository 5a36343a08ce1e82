import { Address, type Evidence } from "@assay/core"
import { Option } from "effect"
import { assert, describe, it } from "vitest"
import * as Holders from "../../src/report/Holders.js"

const [pool, key] = ["a", "b"].map((digit) => Address.checksum(`0x${digit.repeat(40)}`))

const item = (id: string, state: Evidence.Evidence["state"], detail: string, value: unknown) =>
  ({ id, state, detail, value, title: id }) as unknown as Evidence.Evidence

const top = (complete: boolean) =>
  item("holders.top", "confirmed", "2 holders", {
    complete,
    from_block: 0,
    holders: [
      { address: pool, kind: "pool", balance: "6", share_bps: 6_000 },
      { address: key, kind: "account", balance: "4", share_bps: 4_000 }
    ]
  })

const concentrated = (state: Evidence.Evidence["state"]) =>
  item("holders.concentrated", state, "40 % of the circulating supply in one account, 100 % in ten", {})

const insiders = (state: Evidence.Evidence["state"]) =>
  item("holders.insiders", state, "insiders hold 40 % of the supply", { holders: [{ address: key }] })

const of = (...items: ReadonlyArray<Evidence.Evidence>) => ({ items, points: new Map(), undecided: new Set<string>() })

describe("Who holds a token", () => {
  it("is said of each item that is decided, and differs with its state", () => {
    const rows = [
      [[concentrated("confirmed")], "Concentrated: 40 % of the circulating supply in one account, 100 % in ten"],
      [[concentrated("refuted")], "40 % of the circulating supply in one account, 100 % in ten"],
      [[insiders("confirmed")], "Insiders hold 40 % of the supply"],
      [[insiders("refuted")], "Insiders hold only 40 % of the supply"],
      [[top(true)], "The largest holder that was found is a pool with 60 % of the supply"],
      [
        [top(false)],
        "The largest holder that was found is a pool with 60 % of the supply; of a sample of holders, so another one may have more"
      ]
    ] as const
    for (const [items, text] of rows)
      assert.deepStrictEqual(Holders.sentence(of(...items)), { text, evidence_ids: items.map(({ id }) => id) })
    // As much in one account as in ten.
    assert.strictEqual(
      Holders.sentence(
        of(
          item("holders.concentrated", "confirmed", "100 % of the circulating supply in one account, 100 % in ten", {})
        )
      )?.text,
      "Concentrated: 100 % of the circulating supply in one account"
    )
    assert.isNull(Holders.sentence(of(concentrated("unknown"), insiders("unknown"))))
    assert.isNull(Holders.sentence(of()))
  })

  it("is worth a clause of the headline where ten accounts hold half or more, by a lower bound where not all were found", () => {
    const few = (state: Evidence.Evidence["state"], value: unknown) =>
      Option.getOrNull(Option.map(Holders.few(of(item("holders.concentrated", state, "", value))), ({ text }) => text))
    const half = { top_1_bps: 700, top_10_bps: 5_000, complete: true, largest: key }
    assert.strictEqual(few("refuted", half), "ten accounts hold 50 % of the circulating supply")
    assert.strictEqual(
      few("confirmed", { ...half, complete: false }),
      "ten accounts hold at least 50 % of the circulating supply"
    )
    assert.isNull(few("refuted", { ...half, top_10_bps: 4_999 }))
    assert.isNull(few("unknown", half))
    assert.isNull(few("refuted", {}))
  })

  it("says of each holder whether it is an insider, and that this is not known where insiders were not found", () => {
    const insider = (...items: ReadonlyArray<Evidence.Evidence>) =>
      Holders.rows(of(top(true), ...items)).map(({ insider }) => insider)
    assert.deepStrictEqual(insider(insiders("confirmed")), [false, true])
    assert.deepStrictEqual(insider(insiders("refuted")), [false, true])
    assert.deepStrictEqual(insider(insiders("unknown")), [null, null])
    assert.deepStrictEqual(insider(), [null, null])
    assert.deepStrictEqual(Holders.rows(of(insiders("confirmed"))), [])
  })
})

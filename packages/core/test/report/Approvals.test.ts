import { Address, type Evidence, type Facts } from "@assay/core"
import { Option } from "effect"
import { assert, describe, it } from "vitest"
import * as Approvals from "../../src/report/Approvals.js"

const account = (digit: string): Address.Address => Address.checksum(`0x${digit.repeat(40)}`)
const [wallet, coin, rest, nft, key, router] = ["1", "2", "3", "4", "5", "6"].map(account) as [
  Address.Address,
  Address.Address,
  Address.Address,
  Address.Address,
  Address.Address,
  Address.Address
]
const permit2 = "0x000000000022D473030F116dDEE9F6B43aC78BA3" as Address.Address

type State = Evidence.Evidence["state"]

const item = (id: string, value: unknown, state: State = "confirmed", severity = "critical") =>
  ({
    id,
    state,
    value,
    severity,
    detail: "x is controlled by a private key",
    title: id
  }) as unknown as Evidence.Evidence

const outstanding = (...pairs: ReadonlyArray<readonly [token: string, spender: string]>) =>
  item("allowance.outstanding", { allowances: pairs.map(([token, spender]) => ({ token, spender })), complete: true })

const risky = (token: string, spender: string, value: object, state: State = "confirmed") =>
  item(`allowance.spender-risky:${token}:${spender}`, value, state)

const isKey = { spender_kind: "eoa", upgrade: "none", pulls: null }

const ether = 10n ** 18n

const facts = {
  allowances: {
    allowances: [
      { kind: "erc20", token: coin, spender: key, amount: "9", unlimited: true, balance: "9" },
      { kind: "erc20", token: coin, spender: router, amount: "9", unlimited: true, balance: "9" },
      { kind: "erc20", token: rest, spender: router, amount: "5", unlimited: false, balance: "9" },
      { kind: "erc20", token: rest, spender: permit2, amount: "5", unlimited: false, balance: "9" },
      { kind: "operator", token: nft, spender: key, amount: null, unlimited: true, balance: null }
    ],
    unread: [],
    from_block: 0,
    to_block: 1,
    complete: true
  },
  permit2: { allowances: [{ token: rest, spender: key }], unread: [], from_block: 0, to_block: 1, complete: true },
  portfolio: {
    native: "0",
    unit: { address: account("7"), symbol: "WETH", decimals: 18 },
    holdings: [
      { address: coin, symbol: "USDC", decimals: 6, balance: "9000000", value: `${3n * ether}` },
      { address: rest, symbol: null, decimals: null, balance: "9", value: `${2n * ether}` }
    ],
    at_risk: [
      { token: coin, spender: key, by: "erc20", amount: "9000000", value: `${3n * ether}` },
      { token: coin, spender: router, by: "erc20", amount: "9000000", value: `${3n * ether}` },
      { token: rest, spender: router, by: "erc20", amount: "5", value: `${ether}` },
      { token: rest, spender: key, by: "permit2", amount: "5", value: `${ether}` }
    ],
    complete: true
  }
} as unknown as Facts.Facts

const make = (...items: ReadonlyArray<Evidence.Evidence>) =>
  Approvals.make({ items, points: new Map(), undecided: new Set() }, facts)

const headline = (...items: ReadonlyArray<Evidence.Evidence>): string | undefined =>
  Option.getOrUndefined(Option.flatMap(make(...items), Approvals.headline))?.text

const exposure = (...items: ReadonlyArray<Evidence.Evidence>) =>
  Approvals.exposure(Option.getOrElse(make(...items), () => assert.fail("no approvals")))

describe("What others can take from a wallet", () => {
  it("is not reported without the item that names the approvals", () => {
    assert.isTrue(Option.isNone(make(risky(coin, key, isKey))))
    for (const state of ["refuted", "unknown"] as const)
      assert.isTrue(Option.isNone(make(item("allowance.outstanding", null, state), risky(coin, key, isKey))))
  })

  it("names the worst spender as what it is, with what it can take and how many approvals to revoke", () => {
    const short = `${key.slice(0, 8)}…${key.slice(-6)}`
    const who = (value: object, detail?: string) =>
      headline(outstanding([coin, key]), { ...risky(coin, key, value), ...(detail === undefined ? {} : { detail }) })
    const rows = [
      [isKey, `Private key ${short}`],
      [{ ...isKey, spender_kind: "delegated_eoa" }, `Private key ${short}`],
      [{ ...isKey, spender_kind: "empty" }, `Address ${short}, which has no code,`],
      [{ ...isKey, spender_kind: "contract", upgrade: "admin" }, `Whoever replaces the code of contract ${short}`],
      [
        { ...isKey, spender_kind: "contract", upgrade: "anyone" },
        `Anybody, who can replace the code of contract ${short},`
      ],
      [{ ...isKey, spender_kind: "contract", pulls: "anybody" }, `Anybody, through contract ${short},`],
      [{ ...isKey, spender_kind: "contract", pulls: "appointed" }, `The account that contract ${short} authorises`]
    ] as const
    for (const [value, name] of rows)
      assert.strictEqual(who(value), `${name} can take about 3 WETH of tokens: revoke 1 approval`)
    assert.match(
      who({ ...isKey, spender_kind: "contract" }, `${key} is reported as malicious by GoPlus`) ?? "",
      /^Contract \S+, reported as malicious, can take/
    )
  })

  it("counts an operator of a collection and a Permit2 allowance only where an item says so", () => {
    const pairs = outstanding([coin, key], [nft, key], [rest, key])
    const shown = [risky(coin, key, isKey), risky(nft, key, isKey), risky(rest, key, isKey)]
    assert.match(headline(pairs, ...shown) ?? "", / can take about 3 WETH of tokens: revoke 1 approval$/)
    assert.match(
      headline(
        pairs,
        ...shown,
        item(`allowance.operator:${nft}:${key}`, { operator_kind: "eoa" }),
        item(`allowance.permit2:${rest}:${key}`, { spender_kind: "eoa" })
      ) ?? "",
      / can take about 4 WETH of tokens and NFTs of 1 collection: revoke 3 approvals$/
    )
  })

  it("keeps what is shown, what is unknown and what was not found apart, and counts each token for the worst of them", () => {
    const pairs = outstanding([coin, key], [coin, router], [rest, router], [rest, permit2])
    const { spenders, text, value } = exposure(pairs, risky(coin, key, isKey), risky(rest, router, {}, "unknown"))
    assert.strictEqual(
      text,
      "4 approvals in force, and tokens worth about 4 WETH can be taken by them now: 1 of accounts that can use them against the wallet (3 WETH), 1 of accounts that could not be checked (1 WETH) and 2 of others, of which no such risk was found"
    )
    assert.strictEqual(value, `${4n * ether}`)
    assert.deepStrictEqual(
      spenders.map(({ address, risk, takes }) => [address, risk, takes.map(({ token }) => token)]),
      [
        [key, "shown", [coin]],
        [router, "unknown", [rest]],
        [router, "not_found", [coin]],
        [permit2, "not_found", [rest]]
      ]
    )
    assert.match(spenders[0]?.text ?? "", /: can take all 9 USDC \(about 3 WETH\)$/)
    assert.match(spenders[1]?.text ?? "", /: can take 5 units of token 0x3{40} .+ so treat it as unsafe$/)
    assert.match(spenders[3]?.text ?? "", /^Permit2 \(.+it moves them for those that the wallet allows there$/)
  })

  it("has an action for each approval of a risk or of what is not known, and none for another", () => {
    const pairs = outstanding([coin, key], [coin, router], [rest, router])
    const approvals = Option.getOrThrow(make(pairs, risky(coin, key, isKey), risky(rest, router, {}, "unknown")))
    assert.deepStrictEqual(
      Approvals.actions(wallet, approvals).map(({ text, transaction }) => [text.split(" ")[0], transaction?.to]),
      [
        ["Revoke", coin],
        ["Check,", rest]
      ]
    )
  })

  it("is revoked on a condition where another account announced it, and left alone where the token made it up", () => {
    const pairs = outstanding([coin, key])
    const said = (announced_by?: string, made_up?: true) => {
      const item = risky(coin, key, { ...isKey, announced_by, made_up })
      const [action] = Approvals.actions(wallet, Option.getOrThrow(make(pairs, item)))
      const condition = action?.text.includes(", if the wallet signed it: another account sent")
      return [action?.text.split(" ")[0], condition, action?.transaction === null, headline(pairs, item) === undefined]
    }
    assert.deepStrictEqual(said(), ["Revoke", false, false, false])
    assert.deepStrictEqual(said(wallet), ["Revoke", false, false, false])
    assert.deepStrictEqual(said(router), ["Revoke", true, false, false])
    assert.deepStrictEqual(said(router, true), ["Leave", false, true, true])
  })

  it("is no headline where nothing is shown, or where it has no effect now", () => {
    assert.isUndefined(headline(outstanding([coin, key])))
    assert.isUndefined(headline(outstanding([coin, key]), risky(coin, key, {}, "unknown")))
    assert.isUndefined(
      headline(outstanding([coin, key]), { ...risky(coin, key, isKey), severity: "low" } as Evidence.Evidence)
    )
  })
})

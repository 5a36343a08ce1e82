import { Address, Analyzer, Report, type RiskReport } from "@assay/core"
import { Effect } from "effect"
import { assert, beforeAll, describe, it } from "vitest"
import * as Selectors from "../../src/evm/bytecode/Selectors.js"
import * as Revocation from "../../src/report/Revocation.js"
import * as World from "../integration/World.js"

type Taking = RiskReport.ReportTaking & { readonly spender: Address.Address }

const wallets = ["approver", "collector", "exposed", "permitted", "narrowApproval", "openlyPulled"] as const

const word = (address: string): string => address.slice(2).toLowerCase().padStart(64, "0")

/** The read that says whether an approval is in force, and where in its answer that is. */
const standing = (wallet: Address.Address, { by, spender, token }: Taking) => {
  const call = (to: string, signature: string, ...values: ReadonlyArray<string>) => ({
    to,
    data: `${Selectors.selector(signature)}${values.map(word).join("")}`
  })
  switch (by) {
    case "operator":
      return call(token, "isApprovedForAll(address,address)", wallet, spender)
    case "permit2":
      return call(Revocation.permit2, "allowance(address,address,address)", wallet, token, spender)
    default:
      return call(token, "allowance(address,address)", wallet, spender)
  }
}

describe("What a report prints to take an approval back", () => {
  let world: World.World
  let reports: ReadonlyArray<readonly [string, Address.Address, RiskReport.RiskReport]>
  beforeAll(async () => {
    world = await World.start()
    const found: Array<readonly [string, Address.Address, RiskReport.RiskReport]> = []
    for (const name of wallets) {
      const address = Address.checksum(world.sandbox.targets[name].address)
      const analyze = Effect.flatMap(Analyzer.Analyzer, (analyzer) =>
        analyzer.analyze({ kind: "wallet", address, chain: world.chain })
      )
      found.push([name, address, Report.make(await world.run(analyze))])
    }
    reports = found
  })

  /** What each call answers, one after the other in one block on top of the newest. */
  const simulate = async (calls: ReadonlyArray<object>) => {
    const response = await fetch(world.sandbox.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "eth_simulateV1",
        params: [{ blockStateCalls: [{ calls }], validation: false }, "latest"]
      })
    })
    const { error, result } = (await response.json()) as {
      readonly error?: unknown
      readonly result?: ReadonlyArray<{
        readonly calls: ReadonlyArray<{ readonly status: string; readonly returnData: string }>
      }>
    }
    return result?.[0]?.calls ?? assert.fail(JSON.stringify(error))
  }

  it("ends each approval that was found, and is sent by the wallet alone", async () => {
    let ended = 0
    for (const [name, wallet, { at_risk }] of reports)
      for (const { address: spender, takes } of at_risk?.spenders ?? assert.fail(name))
        for (const taking of takes) {
          const transaction = Revocation.of(wallet, spender, taking)
          if (transaction === null) {
            assert.strictEqual(taking.by, "items")
            continue
          }
          const { data, to } = transaction
          const read = standing(wallet, { ...taking, spender })
          const [before, sent, after] = await simulate([read, { from: wallet, to, data }, read])
          assert.isTrue(BigInt(before?.returnData.slice(0, 66) ?? 0) > 0n, `${name} ${taking.token}`)
          assert.strictEqual(sent?.status, "0x1", `${name} ${transaction.command}`)
          assert.strictEqual(BigInt(after?.returnData.slice(0, 66) ?? 1), 0n, `${name} ${transaction.command}`)
          ended += 1
        }
    assert.isAtLeast(ended, 15)
  })

  it("is for each approval of a spender that is a risk, the worst spender first, as the headline says", () => {
    for (const [name, , { actions, at_risk, headline, verdict }] of reports) {
      const risky = (at_risk?.spenders ?? []).filter(({ risk }) => risk === "shown")
      const rest = (at_risk?.spenders ?? []).filter(({ risk }) => risk === "unknown")
      assert.lengthOf(
        actions,
        [...risky, ...rest].reduce((sum, { takes }) => sum + takes.length, 0),
        name
      )
      if (verdict.level === "critical" && risky[0] !== undefined)
        assert.include(headline.text, `: revoke ${risky[0].takes.length} approval`, name)
    }
    const [, , approver] = reports[0] ?? assert.fail()
    assert.strictEqual(
      approver.headline.text,
      "Private key 0x71bE63…6c5788 can take about 28.32 WETH of tokens and NFTs of 1 collection: revoke 3 approvals"
    )
  })

  it("has the calldata of its function and arguments, and a command of addresses and numbers alone", () => {
    const [token, spender, wallet] = ["a", "b", "c"].map((digit) => Address.checksum(`0x${digit.repeat(40)}`))
    if (token === undefined || spender === undefined || wallet === undefined) throw new Error("three addresses")
    for (const [by, amount, tail] of [
      ["erc20", "1", [spender, "0x0"]],
      ["operator", null, [spender, "0x0"]],
      ["operator", "1", [spender]],
      ["permit2", "1", ["0x20", "0x1", token, spender]]
    ] as const) {
      const transaction = Revocation.of(wallet, spender, {
        by,
        token,
        amount: amount as RiskReport.ReportTaking["amount"]
      })
      const { command, data, function: signature, to } = transaction ?? assert.fail(by)
      assert.strictEqual(data, `${Selectors.selector(signature)}${tail.map(word).join("")}`)
      assert.strictEqual(to, by === "permit2" ? Revocation.permit2 : token)
      assert.match(
        command,
        /^cast send --from 0x[cC]{40} 0x\w{40} "[a-zA-Z]+\([a-z0-9(),[\]]*\)"(?: (?:0x[bB]{40}|0|false|"\[\(0x[aA]{40},0x[bB]{40}\)\]"))+$/
      )
    }
    assert.isNull(Revocation.of(wallet, spender, { by: "items", token, amount: null }))
  })
})

import { assert, describe, it } from "@effect/vitest"
import type { ChainState } from "../../src/chain/state/ChainState.js"
import * as Checks from "../../src/checks/Checks.js"
import type { Code } from "../../src/facts/code/Code.js"
import type { CodeReadings } from "../../src/facts/code/CodeReadings.js"
import type { Earlier } from "../../src/facts/code/Earlier.js"
import type { Functions } from "../../src/facts/code/Functions.js"
import type { Provenance } from "../../src/facts/code/Provenance.js"
import type { Proxy } from "../../src/facts/code/Proxy.js"
import type { Control } from "../../src/facts/control/Control.js"
import type { Ownership } from "../../src/facts/control/Ownership.js"
import type { Safe } from "../../src/facts/control/Safe.js"
import type { UnlistedEntries } from "../../src/facts/control/UnlistedEntries.js"
import type { Holders } from "../../src/facts/market/Holders.js"
import type { Liquidity } from "../../src/facts/market/Liquidity.js"
import type { LiquidityPositions } from "../../src/facts/market/LiquidityPositions.js"
import type { Pools } from "../../src/facts/market/Pools.js"
import type { Token } from "../../src/facts/market/Token.js"
import type { Counterfactual } from "../../src/facts/powers/Counterfactual.js"
import type { Powers } from "../../src/facts/powers/Powers.js"
import type { FreeTransfer } from "../../src/facts/trade/FreeTransfer.js"
import type { HolderReplay } from "../../src/facts/trade/HolderReplay.js"
import type { SettledFunctions } from "../../src/facts/trade/SettledFunctions.js"
import type { SimulatedPool } from "../../src/facts/trade/SimulatedPool.js"
import type { Trade } from "../../src/facts/trade/Trade.js"
import type { TradeMoments } from "../../src/facts/trade/TradeMoments.js"
import type { Allowances } from "../../src/facts/wallet/Allowances.js"
import type { Announcements } from "../../src/facts/wallet/Announcements.js"
import type { Delegation } from "../../src/facts/wallet/Delegation.js"
import type { Frozen } from "../../src/facts/wallet/Frozen.js"
import type { HeldTransfers } from "../../src/facts/wallet/HeldTransfers.js"
import type { Permit2Allowances } from "../../src/facts/wallet/Permit2Allowances.js"
import type { Poisoning } from "../../src/facts/wallet/Poisoning.js"
import type { Portfolio } from "../../src/facts/wallet/Portfolio.js"
import type { Sanctions } from "../../src/facts/wallet/Sanctions.js"
import type { Spenders } from "../../src/facts/wallet/Spenders.js"
import type { WalletActivity } from "../../src/facts/wallet/WalletActivity.js"

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

// One check with the requirements `any` would make those of all of them `any`, and no missing source would be noticed.
const exact: Equal<
  Checks.Requirements,
  | ChainState
  | Allowances
  | Announcements
  | Code
  | Control
  | Counterfactual
  | Delegation
  | Earlier
  | CodeReadings
  | FreeTransfer
  | Frozen
  | HeldTransfers
  | Functions
  | HolderReplay
  | Holders
  | Liquidity
  | LiquidityPositions
  | Ownership
  | Permit2Allowances
  | Poisoning
  | Pools
  | Portfolio
  | Powers
  | Provenance
  | Proxy
  | Safe
  | Sanctions
  | SettledFunctions
  | SimulatedPool
  | Spenders
  | Token
  | Trade
  | TradeMoments
  | UnlistedEntries
  | WalletActivity
> = true

describe("Checks.all", () => {
  it("names exactly the facts that its checks read", () => {
    assert.isTrue(exact)
  })

  it("has one check an id and one a code, by the rule of permanent ids", () => {
    const ids = Checks.all.map((check) => check.id)
    const codes = Checks.all.map((check) => check.code)
    assert.deepStrictEqual(ids, [...new Set(ids)])
    assert.deepStrictEqual(codes, [...new Set(codes)])
    for (const id of ids) assert.match(id, /^[a-z]+\.[a-z0-9]+(-[a-z0-9]+)*$/)
  })
})

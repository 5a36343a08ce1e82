import { Effect, Layer, Option } from "effect"
import type { ChainState } from "../../src/chain/ChainState.js"
import * as Check from "../../src/checks/Check.js"
import type { Evidence } from "../../src/domain/Evidence.js"
import type { Target } from "../../src/domain/Target.js"
import * as Code from "../../src/facts/Code.js"
import * as Control from "../../src/facts/Control.js"
import * as Counterfactual from "../../src/facts/Counterfactual.js"
import * as Earlier from "../../src/facts/Earlier.js"
import * as Flows from "../../src/facts/Flows.js"
import * as Functions from "../../src/facts/Functions.js"
import * as HolderReplay from "../../src/facts/HolderReplay.js"
import * as Holders from "../../src/facts/Holders.js"
import * as MarketFacts from "../../src/facts/MarketFacts.js"
import * as Ownership from "../../src/facts/Ownership.js"
import * as Pools from "../../src/facts/Pools.js"
import * as Powers from "../../src/facts/Powers.js"
import * as Provenance from "../../src/facts/Provenance.js"
import * as Proxy from "../../src/facts/Proxy.js"
import * as Safe from "../../src/facts/Safe.js"
import * as Token from "../../src/facts/Token.js"
import * as Trade from "../../src/facts/Trade.js"
import * as WalletFacts from "../../src/facts/WalletFacts.js"

/** Every fact over one view of a chain, as an analysis builds them. */
export const layer = Layer.mergeAll(
  Layer.provideMerge(
    Layer.merge(Layer.provideMerge(HolderReplay.layer, Trade.layer), WalletFacts.layer),
    Layer.provideMerge(Holders.layer, Pools.layer)
  ),
  Ownership.layer,
  MarketFacts.layer,
  Provenance.layer,
  Layer.provideMerge(Counterfactual.layer, Powers.layer)
).pipe(
  Layer.provideMerge(Layer.mergeAll(Control.layer, Functions.layer, Pools.layer)),
  Layer.provideMerge(Layer.mergeAll(Token.layer, Proxy.layer, Safe.layer)),
  Layer.provideMerge(Layer.mergeAll(Code.layer, Earlier.layer(Option.none()), Flows.layer))
)

/** What a fact layer gives, and the chain under it. */
export type All = Layer.Layer.Success<typeof layer> | ChainState

/** Runs checks together, as an analysis does. */
export const evaluate = <const C extends ReadonlyArray<Check.Any>>(
  checks: C,
  target: Target
): Effect.Effect<ReadonlyArray<Evidence>, never, Check.Requirements<C[number]> | ChainState> =>
  Effect.map(
    Effect.forEach(
      checks.filter((check) => check.targets.includes(target.kind)),
      (check) => Check.evaluate(check, target) as Effect.Effect<ReadonlyArray<Evidence>, never, never>,
      { concurrency: "unbounded" }
    ),
    (lists) => lists.flat()
  )

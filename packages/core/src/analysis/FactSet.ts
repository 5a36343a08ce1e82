/** @internal */

import { Context, Effect, FiberRef, Layer, Predicate, Schema, type Scope } from "effect"
import type { ChainState } from "../chain/state/ChainState.js"
import { Hex } from "../domain/Hex.js"
import * as Bytecode from "../evm/bytecode/Bytecode.js"
import * as Code from "../facts/code/Code.js"
import * as CodeReadings from "../facts/code/CodeReadings.js"
import type { Earlier } from "../facts/code/Earlier.js"
import * as Functions from "../facts/code/Functions.js"
import * as Provenance from "../facts/code/Provenance.js"
import * as Proxy from "../facts/code/Proxy.js"
import * as Control from "../facts/control/Control.js"
import * as Ownership from "../facts/control/Ownership.js"
import * as Safe from "../facts/control/Safe.js"
import * as UnlistedEntries from "../facts/control/UnlistedEntries.js"
import * as Defect from "../facts/Defect.js"
import * as Holders from "../facts/market/Holders.js"
import * as Liquidity from "../facts/market/Liquidity.js"
import * as LiquidityPositions from "../facts/market/LiquidityPositions.js"
import * as Locks from "../facts/market/Locks.js"
import * as Pools from "../facts/market/Pools.js"
import * as Token from "../facts/market/Token.js"
import * as Counterfactual from "../facts/powers/Counterfactual.js"
import * as Powers from "../facts/powers/Powers.js"
import * as FreeTransfer from "../facts/trade/FreeTransfer.js"
import * as HolderReplay from "../facts/trade/HolderReplay.js"
import * as SettledFunctions from "../facts/trade/SettledFunctions.js"
import * as SimulatedPool from "../facts/trade/SimulatedPool.js"
import * as Trade from "../facts/trade/Trade.js"
import * as TradeMoments from "../facts/trade/TradeMoments.js"
import * as Allowances from "../facts/wallet/Allowances.js"
import * as Announcements from "../facts/wallet/Announcements.js"
import * as Delegation from "../facts/wallet/Delegation.js"
import * as Frozen from "../facts/wallet/Frozen.js"
import * as HeldTransfers from "../facts/wallet/HeldTransfers.js"
import * as Permit2Allowances from "../facts/wallet/Permit2Allowances.js"
import * as Poisoning from "../facts/wallet/Poisoning.js"
import * as Portfolio from "../facts/wallet/Portfolio.js"
import * as Pulls from "../facts/wallet/Pulls.js"
import * as Sanctions from "../facts/wallet/Sanctions.js"
import * as Spenders from "../facts/wallet/Spenders.js"
import * as WalletActivity from "../facts/wallet/WalletActivity.js"
import * as WalletTransfers from "../facts/wallet/WalletTransfers.js"

/** What a check may read without its embedder providing it, but for the earlier analysis of its target. */
export type FactSet =
  Effect.Effect.Success<ReturnType<typeof build>> extends Context.Context<infer Facts> ? Facts : never

/** The facts that every check may read without its embedder providing them. */
export type BuiltIn = Earlier | FactSet

/** Wrappers between facts and their readers. */
export interface Seam {
  /** Wraps each call of a fact; `Defect.at` notes there which fact a defect passed. */
  readonly call: (place: () => Defect.Place) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Wraps the construction of each fact. */
  readonly build: <A, R>(
    fact: Effect.Effect<Context.Context<A>, never, R>
  ) => Effect.Effect<Context.Context<A>, never, R>
}

/** The seam of the facts that are built; tests put another one here to make facts fail. */
export const seam: FiberRef.FiberRef<Seam> = FiberRef.unsafeMake<Seam>({ call: Defect.at, build: (fact) => fact })

/**
 * Everything that is read of a target over one view of its chain, each fact over those before it. One after another: as
 * merged layers they take twice as long, a tenth of an analysis, for fibers that have nothing to wait for.
 */
export const build = (given: Context.Context<ChainState | CodeReadings.CodeReadings>) =>
  Effect.gen(function* () {
    const memo = yield* Layer.makeMemoMap
    const scope = yield* Effect.scope
    const readings = Context.pick(CodeReadings.CodeReadings)(given)
    const between = yield* FiberRef.get(seam)
    const first: Effect.Effect<Built<ChainState | CodeReadings.CodeReadings>> = Effect.succeed({
      context: Context.merge(given, guarded(readings, between)),
      memo,
      scope,
      seam: between
    })
    const shared = first.pipe(
      over(Code.layer),
      over(Token.layer),
      over(Proxy.layer),
      over(Safe.layer),
      over(Functions.layer),
      over(Control.layer),
      over(Pools.layer),
      over(Locks.layer),
      over(Holders.layer),
      over(Provenance.layer)
    )
    const ofTokens = shared.pipe(
      over(Ownership.layer),
      over(Powers.layer),
      over(Counterfactual.layer),
      over(SettledFunctions.layer),
      over(TradeMoments.layer),
      over(Trade.layer),
      over(SimulatedPool.layer),
      over(HolderReplay.layer),
      over(FreeTransfer.layer),
      over(LiquidityPositions.layer),
      over(Liquidity.layer)
    )
    const ofWallets = ofTokens.pipe(
      over(Allowances.layer),
      over(Permit2Allowances.layer),
      over(WalletTransfers.layer),
      over(Portfolio.layer),
      over(Pulls.layer),
      over(UnlistedEntries.layer),
      over(Spenders.layer),
      over(Announcements.layer),
      over(Poisoning.layer),
      over(WalletActivity.layer),
      over(Delegation.layer),
      over(Frozen.layer),
      over(HeldTransfers.layer),
      over(Sanctions.layer)
    )
    return (yield* ofWallets).context
  })

interface Built<A> {
  readonly context: Context.Context<A>
  readonly memo: Layer.MemoMap
  readonly scope: Scope.Scope
  readonly seam: Seam
}

const over =
  <A, R>(layer: Layer.Layer<A, never, R>) =>
  <B, S>(before: Effect.Effect<Built<B>, never, S>): Effect.Effect<Built<A | B>, never, S | Exclude<R, B>> =>
    Effect.flatMap(before, (built) =>
      Effect.map(
        Effect.provide(built.seam.build(Layer.buildWithMemoMap(layer, built.memo, built.scope)), built.context),
        (fact): Built<A | B> => ({ ...built, context: Context.merge(built.context, guarded(fact, built.seam)) })
      )
    )

/** The same facts behind the seam. Every function of a fact gives an effect. */
const guarded = <A>(facts: Context.Context<A>, { call }: Seam): Context.Context<A> =>
  Context.unsafeMake(
    new Map(
      [...facts.unsafeMap].map(([key, fact]) => {
        const name = key.slice(key.lastIndexOf("/") + 1)
        const members = Object.entries<unknown>(fact).map(([member, value]) => [
          member,
          typeof value === "function"
            ? (...args: ReadonlyArray<unknown>) =>
                call(() => placeOf(`${name}.${member}`, args))(Effect.suspend(() => value(...args)))
            : value
        ])
        return [key, Object.fromEntries(members)]
      })
    )
  )

/** Codes are named by their hashes, and what has an address by that. */
const placeOf = (name: string, [of]: ReadonlyArray<unknown>): Defect.Place => {
  if (typeof of === "string" && Schema.is(Hex)(of) && name.startsWith("CodeReadings."))
    return { part: "code", name, of: Bytecode.hash(of) }
  if (Array.isArray(of)) return { part: "fact", name, of: of.join(", ") }
  return { part: "fact", name, of: Predicate.hasProperty(of, "address") ? String(of.address) : String(of) }
}

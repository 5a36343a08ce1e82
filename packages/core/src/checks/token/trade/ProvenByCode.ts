import { Effect, Either, Option } from "effect"
import type { ChainError } from "../../../chain/ChainError.js"
import type { Reading } from "../../../chain/state/Reading.js"
import type { Address } from "../../../domain/Address.js"
import type { Gate, Reason, TransferProof } from "../../../evm/token/TransferProof.js"
import * as Pools from "../../../facts/market/Pools.js"
import { Token } from "../../../facts/market/Token.js"
import { FreeTransfer } from "../../../facts/trade/FreeTransfer.js"
import * as Together from "../../../runtime/Together.js"
import * as Check from "../../Check.js"

/** The services that {@link settled} needs. */
export type Needs = FreeTransfer | Pools.Pools | Token

/** What is reported where the code refutes a claim. */
export interface Proven<V> {
  /** The value where the code alone refutes the claim. */
  readonly value: V
  /** Whether that is the value where behaviour refutes the claim, too: what is measured is rounded. */
  readonly isExact: boolean
  /** Whether something was seen that the code does not explain. */
  readonly isContradicted: boolean
  /**
   * Whether a list of holders explains all that was seen, for a claim about bought tokens; none for a claim about who
   * can buy, sell or transfer.
   */
  readonly isListExplaining: Option.Option<boolean>
  /**
   * Accounts that exist and that the claim is about, besides the pools: their votes must have no delegate. None where they
   * are not known.
   */
  readonly accounts: Option.Option<ReadonlyArray<Address>>
}

/**
 * Adds what the code of a token proves to a verdict of behaviour.
 *
 * - Confirmed stays: behaviour that shows a trap wins.
 * - Refuted stays, and its detail says that the code proves it too.
 * - Unknown becomes refuted where the code proves that transfers depend on nothing but balances, allowances and arguments
 *   ({@link FreeTransfer}), and nothing that was seen contradicts it. The observation is the code at the pinned block.
 *
 * The pools are a part of the proof: they have the code of a known exchange by their CREATE2 address, hold no balance that
 * they cannot count, and are read. Without any, the proof says that no rule of the token stops or taxes a sale. Where tokens
 * lie in a vault of unread pools alone, or more of them than in the deepest pool that is read, nothing is refuted. Where no exchange is known, a pool may stand anywhere: then lists
 * and votes prove nothing of those who buy.
 *
 * Of a token with votes the code proves it of accounts without a delegate. Who buys has none, and nobody but a pool itself
 * could name one for it, which its code does not; what a constructor may have set for pools and holders is read. That is done
 * where nothing else decides, as it costs a read.
 *
 * Of a token with a list of holders the code proves that whoever buys it can sell it, in full, to whoever can buy it. That
 * refutes claims about what was bought, where the token has no pool: with one, behaviour shows what its list does.
 */
export const settled = <V>(
  token: Address,
  verdict: Check.Verdict<V>,
  proven: Proven<V>
): Effect.Effect<Check.Verdict<V>, never, Needs> =>
  verdict._tag === "Confirmed"
    ? Effect.succeed(verdict)
    : Effect.map(
        Effect.either(
          verdict._tag === "Unknown"
            ? read(token, proven)
            : read(token, { accounts: Option.none(), isListExplaining: Option.none() })
        ),
        (reading): Check.Verdict<V> => {
          if (Either.isLeft(reading)) return verdict
          const { observation, value: proof } = reading.right
          if (verdict._tag === "Refuted")
            return proof === "free" || proof === "undelegated"
              ? {
                  ...verdict,
                  detail: proof === "free" ? `${verdict.detail}; the code proves it too` : verdict.detail,
                  value: proven.isExact ? proven.value : verdict.value
                }
              : verdict
          if (proof === "undelegated") return { ...verdict, detail: `${verdict.detail}; ${mayBeDelegated}` }
          if (proof === "listed")
            return Check.refuted({
              value: proven.value,
              detail: `the code proves that any account that can receive the token can send it, in full, to any other that can; not decided by behaviour: ${verdict.detail}`,
              observation: observation()
            })
          if (proof !== "free") return { ...verdict, detail: `${verdict.detail}; ${proof}` }
          if (proven.isContradicted) return verdict
          return Check.refuted({
            value: proven.value,
            detail: `the code proves that no rule of the token stops or taxes a transfer; not decided by behaviour: ${verdict.detail}`,
            observation: observation()
          })
        }
      )

const mayBeDelegated = "by the code, transfers also depend on the delegates of accounts that are not known"

/**
 * Whether the transfers are free in the pools that the token has, or would be (`undelegated`) if pools and `accounts` have no
 * delegate, which is read where those are known; or whether they are among whoever is on a list (`listed`), where that matters;
 * otherwise why that is not proven.
 */
const read = (
  token: Address,
  { accounts, isListExplaining }: Pick<Proven<unknown>, "accounts" | "isListExplaining">
): Effect.Effect<Reading<"free" | "undelegated" | "listed" | string>, ChainError, Needs> =>
  Effect.gen(function* () {
    const transfers = yield* FreeTransfer
    const pools = yield* Pools.Pools
    const tokens = yield* Token
    const [{ observation, value: proof }, market, { value: profile }] = yield* Together.all([
      transfers.of(token),
      pools.inspect(token),
      tokens.of(token)
    ])
    const [{ value: inspected }, , vaults] = market
    const said = (value: string) => ({ value, observation })
    if (proof.state === "gated" || proof.state === "inconclusive") return said(why(proof))
    const isListed = proof.state === "free_listed"
    // Where no exchange is known, a pool may stand anywhere.
    const isCovered = yield* pools.covers(token)
    const mayHavePool = inspected.length > 0 || !isCovered
    const isTraded = mayHavePool || vaults.length > 0
    if (isListed && (isTraded || !Option.contains(isListExplaining, true)))
      return said(`by the code, transfers also depend on ${words.list} ${proof.mapping}`)
    if (inspected.length === 0 && vaults.length > 0)
      return said("the code stops no sale, but the only pools are unread and may have rules of their own")
    if (Option.isSome(Pools.outweighing(market)))
      return said(
        inspected.some(({ ruled }) => Option.isSome(ruled))
          ? "the code of the token stops no sale"
          : "the code stops no sale, but unread pools hold more than the deepest that was read, and may have rules"
      )
    const held = Option.all(inspected.map((pool) => pool.held))
    if (Option.isNone(held) || profile.total_supply === null)
      return said("the code stops no sale, but the supply or the balance of a pool could not be read")
    const most = held.value.reduce((largest, amount) => (amount > largest ? amount : largest), 0n)
    const below = BigInt(proof.below)
    if (most + BigInt(profile.total_supply) >= (mayHavePool && mostInPool < below ? mostInPool : below))
      return said("the code or the pool refuses amounts that the supply reaches")
    if (isListed) return said("listed")
    if (proof.state === "free") return said("free")
    if (Option.isNone(accounts) || !isCovered) return said("undelegated")
    const concerned = [...inspected.map(({ pool }) => pool.address), ...accounts.value]
    return (yield* transfers.isDelegated(token, proof.mapping, concerned))
      ? said("by the code, transfers also depend on the votes of a delegate that a pool or holder has")
      : said("free")
  })

/**
 * What a Uniswap V2 pair can count.
 *
 * @see https://github.com/Uniswap/v2-core/blob/v1.0.1/contracts/UniswapV2Pair.sol
 */
const mostInPool = 2n ** 112n

const why = (proof: Exclude<TransferProof, { readonly below: unknown }>): string =>
  proof.state === "gated"
    ? `by the code, transfers also depend on ${listed(proof.gates)}`
    : `the code proves nothing: ${reasons[proof.reason]}`

const listed = (gates: ReadonlyArray<Gate>): string => {
  const named = [...new Set(gates.map(({ kind, slot }) => (slot === null ? words[kind] : `${words[kind]} ${slot}`)))]
  const more = named.length - mostNamed
  return `${named.slice(0, mostNamed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`
}

const mostNamed = 4

const words: { readonly [kind in Gate["kind"]]: string } = {
  variable: "the variable in slot",
  list: "the list in slot",
  caller: "the caller",
  environment: "the block or transaction",
  account: "the code or native balance of an account",
  amount: "the amount",
  balance: "how large a balance is",
  fee: "a fee",
  answer: "a return value other than true",
  always: "nothing that a caller can meet"
}

const reasons: { readonly [reason in Reason]: string } = {
  not_evm: "it is not EVM bytecode",
  replaceable: "other code can run in its place",
  too_many_paths: "not all paths could be followed",
  no_balances: "balanceOf is not a plain mapping",
  no_allowances: "approve does not just set an allowance",
  external_call: "transfers call another contract",
  write_location: "a transfer writes to an unknown storage location",
  cost: "the gas of a transfer is not bounded"
}

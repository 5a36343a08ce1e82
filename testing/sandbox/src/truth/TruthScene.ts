import type { Address, Hex } from "viem"
import type { Accounts } from "../chain/Account.js"
import type { Kind } from "../Stage.js"
import type { Name, World } from "../Targets.js"
import type { Claim } from "./Claim.js"

/**
 * What is true of a target, as the engine's evidence would say it. The state is about the world, not about what can be
 * found out: an engine that answers `unknown` where the truth is `confirmed` or `refuted` has a gap, not an error.
 */
export interface Truth {
  readonly target: Name
  readonly kind: Kind
  /** The id of the evidence, with its subject where the claim is about one of many. */
  readonly evidence: string
  readonly state: Claim["state"]
  readonly value: Claim["value"]
  readonly because: string
  /** A transaction to the target that shows a confirmed capability by its effect, where the truth has one. */
  readonly deed: { readonly by: Address; readonly data: Hex } | undefined
}

/** What to say the truth of, and how. */
export interface TruthScene extends Pick<World, "targets" | "parts"> {
  readonly accounts: Accounts
  readonly say: (
    names: Name | ReadonlyArray<Name>,
    evidence: string,
    state: Truth["state"],
    because: string,
    value?: Truth["value"]
  ) => ReadonlyArray<Truth>
  readonly address: (name: Name) => string
  readonly named: (kind: Kind) => ReadonlyArray<Name>
  /** The same of the basic ones alone. */
  readonly basic: (kind: Kind) => ReadonlyArray<Name>
}

export const make = ({ targets, parts }: World, accounts: Accounts): TruthScene => {
  const all = Object.values(targets)
  const names = (some: typeof all, kind: Kind) => some.filter((target) => target.kind === kind).map(({ name }) => name)
  return {
    targets,
    parts,
    accounts,
    say: (names, evidence, state, because, value) =>
      (typeof names === "string" ? [names] : names).map((name) => ({
        target: name,
        kind: targets[name].kind,
        evidence,
        state,
        value,
        because,
        deed: undefined
      })),
    address: (name) => targets[name].address,
    named: (kind) => names(all, kind),
    basic: (kind) =>
      names(
        all.filter(({ group }) => group === "basic"),
        kind
      )
  }
}

/** The basic tokens with a pool to trade in. */
export const pooled = [
  "plain",
  "safeOwned",
  "timelockOwned",
  "uups",
  "transparent",
  "beacon",
  "clone",
  "usdc",
  "deflating",
  "honeypot",
  "silentHoneypot",
  "sellTax90",
  "taxable",
  "pausable",
  "hiddenMinter",
  "mintable",
  "blacklist",
  "cooldown"
] as const satisfies ReadonlyArray<Name>

export const unpooled = ["uninitialised", "fakeUsdc", "hostileName"] as const satisfies ReadonlyArray<Name>

/** The basic ERC-20 tokens with code that no one can change. */
export const immutable = [
  "plain",
  "safeOwned",
  "timelockOwned",
  "deflating",
  "honeypot",
  "silentHoneypot",
  "sellTax90",
  "taxable",
  "pausable",
  "hiddenMinter",
  "mintable",
  "blacklist",
  "cooldown",
  "fakeUsdc",
  "hostileName"
] as const satisfies ReadonlyArray<Name>

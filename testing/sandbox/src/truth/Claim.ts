import type { Address } from "viem"

/** What is true of a claim about a target, and why. */
export interface Claim {
  /**
   * `unknown` where no honest analysis could decide, by the rules for these states; `absent` where the claim makes no
   * sense for the target, so that there is no such item at all.
   */
  readonly state: "confirmed" | "refuted" | "unknown" | "absent"
  readonly because: string
  /** What the value of the evidence contains at least; an address is checksummed. */
  readonly value?: Readonly<Record<string, unknown>> | undefined
  /** The proof of the claim: a call of the target that succeeds and has the claimed effect. */
  readonly deed?: Deed | undefined
}

/** A call of a target. */
export interface Deed {
  readonly by: Address
  readonly name: string
  readonly args: ReadonlyArray<unknown>
}

/** Claims by the id of the evidence; the subject `:pair` stands for the pool of the target. */
export type Claims = Readonly<Record<string, Claim>>

/** It is true. */
export const yes = (because: string, value?: Claim["value"]): Claim => ({ state: "confirmed", because, value })

/** It is not true. */
export const no = (because: string, value?: Claim["value"]): Claim => ({ state: "refuted", because, value })

/** No honest analysis could decide it. */
export const undecidable = (because: string): Claim => ({ state: "unknown", because })

/** It makes no sense of the target. */
export const none = (because: string): Claim => ({ state: "absent", because })

/** A confirmed claim with the call that shows it. */
export const shown = (because: string, by: Address, name: string, ...args: ReadonlyArray<unknown>): Claim => ({
  state: "confirmed",
  because,
  deed: { by, name, args }
})

/** Claims without those of some ids. */
export const without = (claims: Claims, ...ids: ReadonlyArray<string>): Claims =>
  Object.fromEntries(Object.entries(claims).filter(([id]) => !ids.includes(id)))

/** The same state and reason for several ids. */
export const all = (ids: ReadonlyArray<string>, claim: Claim): Claims =>
  Object.fromEntries(ids.map((id) => [id, claim]))

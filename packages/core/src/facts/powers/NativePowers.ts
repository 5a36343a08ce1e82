/** @internal */

import { Array as Arrays, Effect } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type * as Address from "../../domain/Address.js"
import * as Controller from "../../domain/Controller.js"
import type { Hex } from "../../domain/Hex.js"
import * as TokenPowers from "../../evm/powers/TokenPowers.js"
import * as Together from "../../runtime/Together.js"
import type { Control } from "../control/Control.js"
import { registry } from "../native/Implementation.js"
import * as Tip20 from "../native/Tip20.js"
import * as Tip403 from "../native/Tip403.js"
import type * as Power from "./Power.js"
import * as PowerGap from "./PowerGap.js"

/**
 * The powers over the holders of a TIP-20 token, by the members of its roles and the admins of its lists. Who can make himself
 * a member of a role, by `grantRole`, has what the role has. Taxes, limits and allowances are the chain's own: there is no
 * function for them, and no code that shows it.
 *
 * @see https://docs.tempo.xyz/protocol/tip20/spec
 */
export const of = (
  control: Control["Type"],
  token: Address.Address,
  tip20: Tip20.Tip20
): Effect.Effect<{ readonly [power in TokenPowers.Power]: Power.HeldPower }, ChainError> =>
  Effect.gen(function* () {
    const { document, gap, roles } = tip20
    const lists = listsOf(tip20)
    const accounts = Arrays.dedupe([
      ...roles.flatMap(({ members }) => members),
      ...lists.flatMap(({ admin }) => admin ?? [])
    ])
    const classified = new Map(
      yield* Together.forEach(accounts, (account) =>
        Effect.map(control.classify(account), ({ value }) => [account, value] as const)
      )
    )
    const controllers = (of: ReadonlyArray<Address.Address>): ReadonlyArray<Controller.Controller> =>
      of.map((account) => classified.get(account) ?? Controller.make("unknown", { address: account }))
    const isComplete = gap === null
    const nobody = [Controller.make("dead")]
    const lever = (
      selector: Hex,
      members: ReadonlyArray<Address.Address>,
      options: { readonly logic?: Address.Address; readonly isComplete: boolean; readonly certain?: boolean }
    ): Power.HeldLever => ({
      selector,
      certain: options.certain ?? true,
      privileged: true,
      guards: [],
      variable: undefined,
      writes: [],
      logic: options.logic ?? token,
      controllers: members.length === 0 && options.isComplete ? nobody : controllers(members),
      shut: options.isComplete
    })
    /** A function that requires a role, and that by which others get the role. */
    const byRole = (role: Hex, selectors: ReadonlyArray<Hex>, certain = true): ReadonlyArray<Power.HeldLever> => {
      const [members, grantors] = [membersOf(roles, [role]), grantorsOf(roles, role)]
      return [
        ...selectors.map((selector) => lever(selector, members, { isComplete, certain })),
        ...(grantors.length === 0
          ? []
          : [lever(Tip20.functions.grantRole, membersOf(roles, grantors), { isComplete, certain })])
      ]
    }
    const listing = (kind: "blacklist" | "whitelist", selector: Hex) =>
      lists
        .filter((list) => list.kind === kind)
        .map(({ admin }) => lever(selector, admin === null ? [] : [admin], { logic: registry, isComplete: true }))
    const policies = byRole(Tip20.roles.admin, [Tip20.functions.changeTransferPolicyId])
    const blacklists = listing("blacklist", Tip403.functions.modifyPolicyBlacklist)
    const whitelists = listing("whitelist", Tip403.functions.modifyPolicyWhitelist)
    const isWhitelisted = whitelists.length > 0
    const replaceable = policies.some((one) => !isComplete || one.controllers.some((each) => !Controller.isDead(each)))
    const sender = document.policy?.sender.kind ?? "unknown"
    const burners = byRole(Tip20.roles.burnBlocked, [Tip20.functions.burnBlocked])
    const leversOf: { readonly [power in TokenPowers.Power]?: ReadonlyArray<Power.HeldLever> } = {
      mint: byRole(Tip20.roles.issuer, [Tip20.functions.mint, Tip20.functions.mintWithMemo]),
      pause: [...byRole(Tip20.roles.pause, [Tip20.functions.pause]), ...policies],
      blacklist: [...blacklists, ...whitelists, ...policies],
      // A token without such a list gets one by another policy only.
      whitelist: [...whitelists, ...byRole(Tip20.roles.admin, [Tip20.functions.changeTransferPolicyId], isWhitelisted)],
      // Tokens are burnt of accounts alone that the policy keeps from sending.
      seize: sender === "allow_all" && !replaceable ? burners.map((one) => ({ ...one, controllers: nobody })) : burners
    }
    const isUnread = document.policy === null || lists.some(({ kind }) => kind === "unknown" || kind === "compound")
    const isRejecting = lists.some(({ kind }) => kind === "reject_all")
    const ofPower = (name: TokenPowers.Power): Power.HeldPower => {
      const levers = leversOf[name]
      return {
        // One without a known caller is what the gap stands for.
        levers: joined(levers ?? []).filter(({ controllers }) => controllers.length > 0),
        isOfTransfers: (name === "whitelist" && (isWhitelisted || isRejecting)) || (name === "pause" && isRejecting),
        gaps: [
          ...(levers === undefined || (isUnread && name !== "mint") ? [PowerGap.make("chain_code")] : []),
          ...(isComplete ? [] : [PowerGap.make("unread_grants")])
        ],
        fixed: true,
        isRead: true
      }
    }
    return TokenPowers.ofEach(ofPower)
  })

/** The policies that decide whether a transfer is let through, each once. */
const listsOf = ({ document: { policy } }: Tip20.Tip20) =>
  policy === null
    ? []
    : Arrays.dedupeWith([policy.sender, policy.recipient], (a, b) => a.id === b.id && a.kind === b.kind)

const membersOf = (roles: ReadonlyArray<Tip20.Role>, wanted: ReadonlyArray<Hex>): ReadonlyArray<Address.Address> =>
  Arrays.dedupe(roles.flatMap(({ members, role }) => (wanted.includes(role) ? members : [])))

/** The other roles with members that can give themselves this one: those that grant it, and those that grant these. */
const grantorsOf = (roles: ReadonlyArray<Tip20.Role>, role: Hex): ReadonlyArray<Hex> => {
  const found = new Set([role])
  for (const each of found) {
    const one = roles.find((other) => other.role === each)
    if (one !== undefined) found.add(one.grantedBy)
  }
  found.delete(role)
  return [...found]
}

/** Levers of one function, with the callers of all. */
const joined = (levers: ReadonlyArray<Power.HeldLever>): ReadonlyArray<Power.HeldLever> => {
  const found = new Map<string, Power.HeldLever>()
  for (const lever of levers) {
    const key = `${lever.logic} ${lever.selector} ${lever.certain}`
    const same = found.get(key)
    const all = same === undefined ? lever.controllers : [...same.controllers, ...lever.controllers]
    const living = all.filter((each) => !Controller.isDead(each))
    const controllers = Arrays.dedupeWith(
      living.length > 0 ? living : all,
      (a, b) => a.kind === b.kind && a.address === b.address
    )
    found.set(key, { ...lever, controllers, shut: lever.shut && (same?.shut ?? true) })
  }
  return [...found.values()]
}

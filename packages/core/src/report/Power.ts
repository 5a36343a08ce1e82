/** @internal */

import { Schema } from "effect"
import { Address } from "../domain/Address.js"
import type { Controller } from "../domain/Controller.js"
import * as Controllers from "../domain/Controller.js"
import * as Count from "../domain/Count.js"
import { checkId, type Evidence } from "../domain/Evidence.js"
import { ControlNode } from "../domain/facts/ControlGraph.js"
import type { ReportPower, ReportSentence } from "../domain/RiskReport.js"
import * as Findings from "./Findings.js"
import * as Role from "./Role.js"
import * as Sentence from "./Sentence.js"

const verbs: { readonly [check: string]: string } = {
  "token.mintable": "mint",
  "token.pausable": "pause transfers",
  "token.blacklistable": "block accounts",
  "token.whitelist-only": "choose who can transfer",
  "token.limits-changeable": "change transfer limits",
  "token.tax-changeable": "change the tax",
  "token.balances-seizable": "take balances",
  "token.allowance-bypass": "spend without an allowance",
  "proxy.upgradeable": "upgrade the code",
  "contract.delegatecall-mutable": "choose the code of a DELEGATECALL",
  "control.reclaimable": "take ownership",
  "allowance.spender-risky": "take approved tokens"
}

/** What the holder of the power that an item is about can do; none of another item. */
export const verbOf = ({ id }: Pick<Evidence, "id">): string | undefined => verbs[checkId(id)]

/** The confirmed items that describe what a known or unknown account can do. */
export const confirmed = (findings: Findings.Findings): ReadonlyArray<Evidence> =>
  findings.items.filter((item) => item.state === "confirmed" && item.controller !== null && checkId(item.id) in verbs)

/** What the confirmed powers allow their holders to do: "mint, pause transfers and upgrade the code". */
export const deeds = (powers: ReadonlyArray<Evidence>): string =>
  Sentence.list([...new Set(powers.flatMap(({ id }) => verbs[checkId(id)] ?? []))])

/**
 * Who can do what, one line an account that decides: "mint, pause transfers: Safe 2 of 3 after 7 days". Accounts with a
 * power that no claim is about follow.
 */
export const lines = (findings: Findings.Findings): ReadonlyArray<ReportSentence> => {
  const groups = byHolder(findings)
  const claimed = groups.map(({ items, who }) => Sentence.of(`${deeds(items)}: ${who}`, items))
  return [
    ...claimed,
    ...others(
      findings,
      groups.map(({ who }) => who)
    ),
    ...nobody(findings),
    ...origin(findings)
  ]
}

/**
 * That nobody controls it is said where all code is decided: who alone can sell a trap is a power as well, and what is low
 * about an exit, such as a lock that ends, is none.
 */
const nobody = (findings: Findings.Findings): ReadonlyArray<ReportSentence> => {
  const item = Findings.inState(findings, "control.controllers", "refuted")
  const isOpen = findings.items.some(
    ({ category, polarity, severity, state }) =>
      decisive.has(category) &&
      polarity === "risk" &&
      (state === "unknown" || (state === "confirmed" && !(category === "exit" && severity === "low")))
  )
  return item === undefined || isOpen ? [] : [Sentence.of("hold a known power over it: nobody", [item])]
}

const decisive: ReadonlySet<string> = new Set(["code", "control", "exit"])

const Origin = Schema.Struct({ by_block: Schema.Number, after_block: Schema.NullOr(Schema.Number), deployer: Address })

/** Who made it, and when, where that was read. */
const origin = (findings: Findings.Findings): ReadonlyArray<ReportSentence> => {
  const item = Findings.inState(findings, "contract.provenance", "confirmed")
  return item === undefined || !Schema.is(Origin)(item.value)
    ? []
    : [Sentence.of(`created it, in block ${item.value.by_block}: its deployer (${item.value.deployer})`, [item])]
}

/** The confirmed powers of each account that decides. */
export const rows = (findings: Findings.Findings): ReadonlyArray<ReportPower> =>
  byHolder(findings).map(({ controller, items }) => ({
    can: [...new Set(items.flatMap(({ id }) => verbs[checkId(id)] ?? []))],
    holder: controller,
    held_by: holder(controller),
    evidence_ids: items.map(({ id }) => id)
  }))

interface Group {
  readonly who: string
  readonly controller: Controller
  readonly items: ReadonlyArray<Evidence>
}

const byHolder = (findings: Findings.Findings): ReadonlyArray<Group> => {
  const groups = new Map<string, { readonly controller: Controller; readonly items: Array<Evidence> }>()
  for (const item of confirmed(findings)) {
    if (item.controller === null) continue
    const who = account(item.controller)
    const group = groups.get(who)
    if (group === undefined) groups.set(who, { controller: item.controller, items: [item] })
    else group.items.push(item)
  }
  return [...groups].map(([who, group]) => ({ who, ...group }))
}

const Accounts = Schema.Struct({
  controllers: Schema.Array(Schema.Struct({ ...ControlNode.fields, powers: Schema.Array(Schema.String) }))
})

const Authorised = Schema.Struct({ authority: Schema.String })

const Setup = Schema.Struct({ owners: Schema.Array(Schema.String), threshold: Schema.Number })

const others = (findings: Findings.Findings, told: ReadonlyArray<string>): ReadonlyArray<ReportSentence> => {
  const item = Findings.inState(findings, "control.controllers", "confirmed")
  const accounts = item === undefined || !Schema.is(Accounts)(item.value) ? [] : item.value.controllers
  const untold = accounts.filter(({ address }) => !told.some((line) => line.includes(address)))
  const setup = Findings.inState(findings, "safe.setup", "confirmed")
  return [
    ...untold.map((node) => {
      // Who decides behind it may be what another item says: the admin of a proxy is mostly a contract of its own.
      const behind = confirmed(findings).find(
        ({ controller, value }) =>
          Schema.is(Authorised)(value) && value.authority === node.address && controller?.address !== node.address
      )
      const who =
        behind === undefined || behind.controller === null
          ? account(controllerOf(node))
          : `contract ${node.address}, for which ${holder(behind.controller)} decides`
      return Sentence.of(
        `${roles(node.powers)}: ${who}`,
        [item, behind].flatMap((found) => found ?? [])
      )
    }),
    ...(setup !== undefined && Schema.is(Setup)(setup.value)
      ? [
          Sentence.of(
            `send transactions: ${setup.value.threshold} of ${setup.value.owners.length} owners of this Safe`,
            [setup]
          )
        ]
      : [])
  ]
}

const controllerOf = (node: typeof ControlNode.Type): Controller => ({
  kind: node.kind,
  address: node.address,
  delay_seconds: node.delay_seconds,
  threshold: node.threshold,
  signers: node.signers.length === 0 ? null : node.signers.length
})

const mostRoles = 2

/** Powers by the names that the control graph gives them: the owner, an admin, a role, a function that a guard allows. */
const roles = (powers: ReadonlyArray<string>): string => {
  const names = powers.map((power) => {
    const { deed, kind, name } = Role.parse(power)
    return deed ?? (kind === "other" ? name : `${kind} ${name}`)
  })
  const more = names.length - mostRoles
  return more > 0 ? `${names.slice(0, mostRoles).join(", ")} and ${more} more` : names.join(", ")
}

/** Who decides, without the address: "Safe 2 of 3 after 7 days". */
export const holder = (controller: Controller): string => {
  const { kind } = controller
  const unseen = Controllers.isIncomplete(controller) && kind !== "unknown" ? ", and accounts that were not read" : ""
  return `${name(controller)}${delay(controller)}${unseen}`
}

/** The same with the address. */
const account = (controller: Controller): string => {
  const { address, kind } = controller
  if (address === null || kind === "dead") return holder(controller)
  return `${holder(controller)} (${kind === "timelock" ? "timelock " : ""}${address})`
}

const name = ({ kind, signers, threshold }: Controller): string => {
  const quorum = threshold === null ? "" : ` ${threshold} of ${signers ?? "an unknown number of signers"}`
  switch (kind) {
    case "eoa":
      return "one private key"
    case "delegated_eoa":
      return "one private key that delegates to a contract"
    case "safe":
      return threshold === null ? "a Safe whose signers were not read" : `Safe${quorum}`
    case "timelock":
      return threshold === null ? "a timelock" : `Safe${quorum}`
    case "governor":
      return "a vote of a governor"
    case "contract":
      return "a contract; who decides behind it is not known, so treat it as one private key"
    case "dead":
      return "nobody"
    case "unknown":
      return "an account that is not known, so treat it as one private key"
  }
}

const delay = ({ delay_seconds: seconds }: Controller): string =>
  seconds === null || seconds === 0 ? "" : ` after ${Count.duration(seconds)}`

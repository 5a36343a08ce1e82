/** @internal */

import { Option, Schema } from "effect"
import { Address } from "../domain/Address.js"
import type { Analysis } from "../domain/Analysis.js"
import { Controller } from "../domain/Controller.js"
import * as Count from "../domain/Count.js"
import { checkId, type Evidence } from "../domain/Evidence.js"
import type { ControlGraph } from "../domain/facts/ControlGraph.js"
import * as Findings from "./Findings.js"
import * as Power from "./Power.js"
import * as Role from "./Role.js"
import * as Sentence from "./Sentence.js"
import * as Ticker from "./Ticker.js"

/**
 * An account of the diagram, or several of one kind that only one edge is about. `unknown` stands for accounts that were
 * not found out. `addresses` is empty where there is none.
 */
export interface Node extends Part {
  readonly id: string
  readonly kind: Controller["kind"] | "target" | "code" | "owners"
  readonly title: string
  readonly addresses: ReadonlyArray<string>
}

/**
 * What `from` is to `to` (`roles`), and can do by it (`powers`). `doubts` are the powers that could not be decided. `code`: the code of `to` runs in `from`'s
 * place.
 */
export interface Edge extends Part {
  readonly from: string
  readonly to: string
  readonly kind: "power" | "code"
  readonly roles: ReadonlyArray<string>
  readonly powers: ReadonlyArray<string>
  readonly doubts: ReadonlyArray<string>
}

/** What every part names: its evidence, and of two diagrams how it differs. `before` is what stood there. */
export interface Part {
  readonly evidence_ids: ReadonlyArray<string>
  readonly change: "added" | "removed" | "changed" | null
  readonly before: string
}

/** Who controls a target, and by what: what is drawn of an analysis. It is of its evidence alone. */
export interface ControlDiagram {
  readonly target: string
  readonly nodes: ReadonlyArray<Node>
  readonly edges: ReadonlyArray<Edge>
}

export type Analyzed = Pick<Analysis, "evidence" | "facts" | "target">

/**
 * The diagram of an analysis. What `facts.control` has is drawn where the item that rests on it is there
 * (`control.controllers`); every other part is of the item that it names.
 */
export const make = ({ evidence, facts, target }: Analyzed): ControlDiagram => {
  const findings = Findings.make(evidence, facts)
  const draft = new Draft(target.address, titleOf(findings, target.kind))
  addCode(draft, findings)
  addGraph(draft, findings, facts.control)
  addSafe(draft, findings)
  addApprovals(draft, findings)
  addPowers(draft, findings)
  return draft.diagram()
}

/** Whether there is anything to draw beside the target. */
export const isEmpty = ({ nodes }: ControlDiagram): boolean => nodes.length < 2

/** Both diagrams in one: what only one of them has is marked, and what both have with another text. */
export const compare = (before: ControlDiagram, after: ControlDiagram): ControlDiagram => ({
  target: after.target,
  nodes: merge(before.nodes, after.nodes, ({ id }) => id, textOfNode, beforeOfNode),
  edges: merge(before.edges, after.edges, ({ from, to }) => `${from} ${to}`, labelOf, labelOf)
})

/** What an edge is labelled with: "owner: mint, pause transfers", and what could not be decided with a question mark. */
export const labelOf = ({ doubts, powers, roles }: Pick<Edge, "doubts" | "powers" | "roles">): string =>
  [roles.join(", "), [...powers, ...doubts.map((doubt) => `${doubt}?`)].join(", ")]
    .filter((text) => text !== "")
    .join(": ")

/** Whether an edge is drawn as unknown: nothing of it is decided. */
export const isDoubtful = ({ doubts, powers, roles }: Edge): boolean =>
  powers.length + roles.length === 0 && doubts.length > 0

/** Who is a step further from the target, each account once: the diagram as a tree, for lists. */
export const tree = (diagram: ControlDiagram): Branch => {
  const seen = new Set([diagram.target])
  const branch = (node: Node, edge: Option.Option<Edge>): Branch => ({
    node,
    edge,
    branches: diagram.edges.flatMap((each) => {
      const other =
        each.kind === "code" && each.from === node.id
          ? each.to
          : each.kind === "power" && each.to === node.id
            ? each.from
            : undefined
      const next = diagram.nodes.find(({ id }) => id === other)
      if (next === undefined) return []
      if (seen.has(next.id)) return [{ node: next, edge: Option.some(each), branches: [] }]
      seen.add(next.id)
      return [branch(next, Option.some(each))]
    })
  })
  const [root] = diagram.nodes.filter(({ id }) => id === diagram.target)
  return branch(root ?? { ...unchanged, id: diagram.target, kind: "target", title: "", addresses: [] }, Option.none())
}

export interface Branch {
  readonly node: Node
  readonly edge: Option.Option<Edge>
  readonly branches: ReadonlyArray<Branch>
}

const textOfNode = ({ addresses, title }: Node): string => `${title}: ${addresses.join(", ")}`

/** Of several accounts only those that are not there any more. */
const beforeOfNode = (was: Node, is: Node): string => {
  const gone = was.addresses.filter((address) => !is.addresses.includes(address))
  return gone.length === 0 ? was.title : `${was.title}, with ${Sentence.list(gone.map(Sentence.short))}`
}

const merge = <P extends Part>(
  before: ReadonlyArray<P>,
  after: ReadonlyArray<P>,
  keyOf: (part: P) => string,
  textOf: (part: P) => string,
  beforeOf: (was: P, is: P) => string
): ReadonlyArray<P> => {
  const old = new Map(before.map((part) => [keyOf(part), part]))
  const present = new Set(after.map(keyOf))
  return [
    ...after.map((part): P => {
      const was = old.get(keyOf(part))
      if (was === undefined) return { ...part, change: "added" }
      return textOf(was) === textOf(part) ? part : { ...part, change: "changed", before: beforeOf(was, part) }
    }),
    ...before.filter((part) => !present.has(keyOf(part))).map((part): P => ({ ...part, change: "removed" }))
  ]
}

const unchanged: Part = { evidence_ids: [], change: null, before: "" }

/** The diagram while it is made. */
class Draft {
  readonly #nodes = new Map<string, Node>()
  readonly #edges = new Map<string, Edge>()
  readonly target: Address
  constructor(target: Address, title: string) {
    this.target = target
    this.#nodes.set(target, { ...unchanged, id: target, kind: "target", title, addresses: [target] })
  }
  has(id: string): boolean {
    return this.#nodes.has(id)
  }
  /** Adds a node, or its evidence to one that is there. */
  node(node: Omit<Node, keyof Part>, ids: ReadonlyArray<string>): string {
    const there = this.#nodes.get(node.id) ?? { ...unchanged, ...node }
    this.#nodes.set(node.id, { ...there, evidence_ids: distinct([...there.evidence_ids, ...ids]) })
    return node.id
  }
  /** Says more of a node by its title. */
  retitle(id: string, title: (node: Node) => string): void {
    const node = this.#nodes.get(id)
    if (node !== undefined) this.#nodes.set(id, { ...node, title: title(node) })
  }
  edge(edge: Pick<Edge, "from" | "to" | "kind"> & Partial<Edge>, ids: ReadonlyArray<string>): void {
    const key = `${edge.from} ${edge.to}`
    const there = this.#edges.get(key) ?? { ...unchanged, roles: [], powers: [], doubts: [], ...edge }
    this.#edges.set(key, {
      ...there,
      roles: distinct([...there.roles, ...(edge.roles ?? [])]),
      powers: distinct([...there.powers, ...(edge.powers ?? [])]),
      doubts: distinct([...there.doubts, ...(edge.doubts ?? [])]),
      evidence_ids: distinct([...there.evidence_ids, ...ids])
    })
  }
  /** The edge by which an account acts: the one to the target, or its first. */
  way(from: string): Edge | undefined {
    const own = [...this.#edges.values()].filter((edge) => edge.from === from && edge.kind === "power")
    return own.find(({ to }) => to === this.target) ?? own[0]
  }
  diagram(): ControlDiagram {
    return { target: this.target, nodes: [...this.#nodes.values()], edges: [...this.#edges.values()] }
  }
}

const distinct = (texts: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(texts)]

const titleOf = (findings: Findings.Findings, kind: string): string =>
  Option.getOrElse(Ticker.of(findings, mostOfTitle), () => Sentence.upper(kind))

/** What a box of the drawing has room for. */
const mostOfTitle = 20

const ProxyValue = Schema.Struct({ kind: Schema.String, implementations: Schema.Array(Address) })
const Delegate = Schema.Struct({ delegate: Address })

const addCode = (draft: Draft, findings: Findings.Findings): void => {
  const item = Findings.one(findings, "proxy.kind")
  if (item?.state === "unknown") {
    draft.node({ id: "code", kind: "unknown", title: "Code that was not found", addresses: [] }, [item.id])
    draft.edge({ from: draft.target, to: "code", kind: "code", doubts: ["runs code of"] }, [item.id])
  }
  if (item?.state === "confirmed" && Schema.is(ProxyValue)(item.value) && item.value.implementations.length > 0) {
    const { implementations, kind } = item.value
    const title =
      implementations.length === 1
        ? kind === "safe"
          ? "Singleton"
          : "Implementation"
        : `${implementations.length} implementations`
    // By its place and not by its address: another implementation is a change of the same node.
    draft.node({ id: "code", kind: "code", title, addresses: implementations }, [item.id])
    draft.edge({ from: draft.target, to: "code", kind: "code", powers: ["runs code of"] }, [item.id])
  }
  const delegated = Findings.inState(findings, "wallet.delegated", "confirmed")
  if (delegated !== undefined && Schema.is(Delegate)(delegated.value)) {
    draft.node({ id: "code", kind: "code", title: "Delegate", addresses: [delegated.value.delegate] }, [delegated.id])
    draft.edge({ from: draft.target, to: "code", kind: "code", powers: ["runs code of"] }, [delegated.id])
  }
}

const addGraph = (draft: Draft, findings: Findings.Findings, graph: ControlGraph | null): void => {
  const item = Findings.one(findings, "control.controllers")
  if (item === undefined || graph === null) return
  const ids = [item.id]
  for (const node of graph.nodes) {
    const isTarget = node.address === draft.target
    if (!isTarget && !graph.edges.some(({ from }) => from === node.address)) continue
    if (!isTarget)
      draft.node({ id: node.address, kind: node.kind, title: titleOfAccount(node), addresses: [node.address] }, ids)
    if (isTarget && node.kind === "safe") {
      draft.retitle(draft.target, () => titleOfAccount(node))
      draft.node({ id: draft.target, kind: "target", title: "", addresses: [] }, ids)
    }
    addOwners(draft, node.address, node, ids)
  }
  for (const { delay_seconds, from, power, to } of graph.edges)
    if (draft.has(from) && draft.has(to))
      draft.edge({ from, to, kind: "power", roles: [roleOf(power, delay_seconds)] }, ids)
  addGaps(draft, graph, ids)
}

const addOwners = (
  draft: Draft,
  safe: string,
  { signers, threshold }: { readonly signers: ReadonlyArray<string>; readonly threshold: number | null },
  ids: ReadonlyArray<string>
): void => {
  if (signers.length === 0) return
  draft.node(
    { id: `owners:${safe}`, kind: "owners", title: Count.of(signers.length, "owner"), addresses: signers },
    ids
  )
  const power = threshold === null ? "sign" : `${threshold} of ${signers.length} sign`
  draft.edge({ from: `owners:${safe}`, to: safe, kind: "power", powers: [power] }, ids)
}

const isOfFunction = (what: string): boolean => what.startsWith("function:")
const isOfList = (what: string): boolean => what.startsWith("list:")
const behind = "behind:"

/** What was not read of a graph: of the target one node, and one behind each account that decides by itself. */
const addGaps = (draft: Draft, { unread }: ControlGraph, ids: ReadonlyArray<string>): void => {
  const accounts = unread.flatMap(({ what }) => (what.startsWith(behind) ? [what.slice(behind.length)] : []))
  for (const account of distinct(accounts).filter((each) => draft.has(each))) {
    draft.node({ id: `unknown:${account}`, kind: "unknown", title: "Others not read", addresses: [] }, ids)
    draft.edge({ from: `unknown:${account}`, to: account, kind: "power", doubts: ["act through it"] }, ids)
  }
  const own = unread.map(({ what }) => what).filter((what) => !what.startsWith(behind))
  const functions = own.filter(isOfFunction).length
  const lists = own.filter(isOfList).length
  const others = own.filter((what) => !isOfFunction(what) && !isOfList(what))
  const doubts = [
    ...(functions === 0 ? [] : [`call ${Count.of(functions, "function")}`]),
    ...(lists === 0 ? [] : [lists === 1 ? "be in a list of callers" : `be in ${lists} lists of callers`]),
    ...others.map((what) => (what === "code" ? "use code that was not followed" : roleOf(what, null)))
  ]
  if (doubts.length === 0) return
  draft.node(unknownAccount, ids)
  draft.edge({ from: unknownAccount.id, to: draft.target, kind: "power", doubts }, ids)
}

const unknownAccount: Omit<Node, keyof Part> = {
  id: "unknown",
  kind: "unknown",
  title: "Not known who",
  addresses: []
}

const Setup = Schema.Struct({ owners: Schema.Array(Address), threshold: Schema.Number })
const Modules = Schema.Struct({ modules: Schema.Array(Address), unlisted: Schema.Array(Address) })

const addSafe = (draft: Draft, findings: Findings.Findings): void => {
  const setup = Findings.one(findings, "safe.setup")
  if (setup !== undefined && setup.state !== "unknown" && Schema.is(Setup)(setup.value)) {
    const { owners: signers, threshold } = setup.value
    draft.retitle(draft.target, () => `Safe, ${threshold} of ${signers.length}`)
    draft.node({ id: draft.target, kind: "target", title: "", addresses: [] }, [setup.id])
    addOwners(draft, draft.target, { signers, threshold }, [setup.id])
  }
  const modules = Findings.inState(findings, "safe.modules", "confirmed")
  if (modules === undefined || !Schema.is(Modules)(modules.value)) return
  for (const module of [...modules.value.modules, ...modules.value.unlisted]) {
    draft.node({ id: module, kind: "contract", title: "Module", addresses: [module] }, [modules.id])
    draft.retitle(module, ({ title }) => (title === "Contract" ? "Module" : title))
    draft.edge({ from: module, to: draft.target, kind: "power", powers: ["act without signatures"] }, [modules.id])
  }
}

const Spender = Schema.Struct({ spender_kind: Schema.String })
const Operator = Schema.Struct({ operator_kind: Schema.String })

/** Spenders of a wallet, by the approvals that are in force. */
const addApprovals = (draft: Draft, findings: Findings.Findings): void => {
  const spenders = new Map<string, Array<Evidence>>()
  for (const item of findings.items) {
    const [, spender] = subjectOf(item)
    if (item.state !== "confirmed" || !item.id.startsWith("allowance.") || spender === undefined) continue
    const items = spenders.get(spender)
    if (items === undefined) spenders.set(spender, [item])
    else items.push(item)
  }
  for (const [spender, items] of spenders) {
    const kinds = items.flatMap(({ value }) =>
      Schema.is(Spender)(value) ? [value.spender_kind] : Schema.is(Operator)(value) ? [value.operator_kind] : []
    )
    const ids = items.map(({ id }) => id)
    const kind = kinds.includes("eoa") ? "eoa" : kinds.includes("contract") ? "contract" : "unknown"
    draft.node(
      { id: spender, kind, title: kind === "contract" ? "Spender" : titleOfAccount({ kind }), addresses: [spender] },
      ids
    )
    const tokensOf = (...checks: ReadonlyArray<string>): number =>
      distinct(items.filter(({ id }) => checks.includes(checkId(id))).flatMap((item) => subjectOf(item).slice(0, 1)))
        .length
    const unlimited = tokensOf("allowance.unlimited")
    const collections = tokensOf("allowance.operator")
    const permit2 = tokensOf("allowance.permit2")
    draft.edge(
      {
        from: spender,
        to: draft.target,
        kind: "power",
        powers: [
          ...(unlimited === 0 ? [] : [`take all of ${Count.of(unlimited, "token")}`]),
          ...(permit2 === 0 ? [] : [`take ${Count.of(permit2, "token")} by Permit2`]),
          ...(collections === 0 ? [] : [`take all of ${Count.of(collections, "collection")}`]),
          ...(unlimited + collections + permit2 === 0
            ? [`take ${Count.of(tokensOf("allowance.spender-risky"), "token")}`]
            : [])
        ]
      },
      ids
    )
  }
}

const subjectOf = ({ id }: Evidence): ReadonlyArray<string> => id.split(":").slice(1)

const Several = Schema.Struct({ controllers: Schema.NonEmptyArray(Controller) })

/** The powers that claims are about, each on the way by which its holder acts. */
const addPowers = (draft: Draft, findings: Findings.Findings): void => {
  for (const item of findings.items) {
    const power = Power.verbOf(item)
    if (power === undefined || item.state === "refuted" || subjectOf(item).length > 0) continue
    const isKnown = item.state === "confirmed"
    const holders = isKnown && Schema.is(Several)(item.value) ? item.value.controllers : [item.controller]
    for (const holder of holders) {
      if (isKnown && holder === null) continue
      const from = accountOf(draft, holder, item)
      const { to } = draft.way(from) ?? { to: draft.target }
      draft.edge({ from, to, kind: "power", ...(isKnown ? { powers: [power] } : { doubts: [power] }) }, [item.id])
    }
  }
}

/** The node of who holds a power: one that is there, or a new one. */
const accountOf = (draft: Draft, holder: Controller | null, { id }: Evidence): string => {
  if (holder === null || holder.address === null || holder.kind === "unknown") {
    if (holder?.kind === "dead") return draft.node({ id: "nobody", kind: "dead", title: "Nobody", addresses: [] }, [id])
    if (holder?.address !== null && holder !== null && draft.has(holder.address)) return holder.address
    return draft.node(unknownAccount, [id])
  }
  return draft.node(
    { id: holder.address, kind: holder.kind, title: titleOfAccount(holder), addresses: [holder.address] },
    [id]
  )
}

const titleOfAccount = ({
  delay_seconds: delay = null,
  kind,
  signers = null,
  threshold = null
}: {
  readonly kind: Controller["kind"]
  readonly delay_seconds?: number | null
  readonly threshold?: number | null
  readonly signers?: number | ReadonlyArray<string> | null
}): string => {
  const count = typeof signers === "number" || signers === null ? signers : signers.length
  switch (kind) {
    case "eoa":
      return "Private key"
    case "delegated_eoa":
      return "Private key with delegate"
    case "safe":
      return threshold === null ? "Safe, signers not read" : `Safe, ${threshold} of ${count ?? "?"}`
    case "timelock":
      return delay === null ? "Timelock, delay not read" : `Timelock, ${Count.duration(delay)}`
    case "governor":
      return "Governor, by vote"
    case "contract":
      return "Contract"
    case "dead":
      return "Nobody"
    case "unknown":
      return "Not known who"
  }
}

/** A role as it is written on an edge: short, as it stands there for several. */
const wordsOf = ({ kind, name }: Role.Role): string =>
  kind === "function"
    ? `call ${name}`
    : kind === "role" && name.startsWith("0x")
      ? `role ${name}`
      : name === "timelock"
        ? "executes"
        : name

/** A power by the name that the control graph gives it, as it is written on an edge. */
const roleOf = (power: string, delay: number | null): string => {
  const text = wordsOf(Role.parse(power))
  return delay === null || delay === 0 ? text : `${text}, after ${Count.duration(delay)}`
}

import { Address, type Controller, type Evidence } from "@assay/core"
import { assert, describe, it } from "vitest"
import type * as Facts from "../../src/domain/facts/ControlGraph.js"
import * as ControlDiagram from "../../src/report/ControlDiagram.js"
import * as ControlMermaid from "../../src/report/ControlMermaid.js"
import * as ControlDrawing from "../../src/report/page/ControlDrawing.js"

const account = (digit: string) => Address.checksum(`0x${digit.repeat(40)}`)
const [token, key, safe, timelock, code] = [account("1"), account("2"), account("3"), account("4"), account("5")]
const owners = [account("6"), account("7"), account("8")]

const item = (id: string, part: Partial<Evidence.Evidence> = {}): Evidence.Evidence => ({
  state: "confirmed",
  source_url: `eip155:1:${token}`,
  id,
  version: 1,
  category: "control",
  title: id,
  detail: "",
  value: null,
  polarity: "risk",
  severity: "high",
  verified: true,
  reason: part.state === "unknown" ? "inconclusive" : null,
  controller: null,
  observation: null,
  ...part
})

const holder = (kind: Controller.ControllerKind, address: Address.Address | null): Controller.Controller => ({
  kind,
  address,
  delay_seconds: null,
  threshold: null,
  signers: null
})

const node = (address: Address.Address, kind: Controller.ControllerKind, part: Partial<Facts.ControlNode> = {}) => ({
  address,
  kind,
  delay_seconds: null,
  threshold: null,
  signers: [],
  voting: null,
  ...part
})

const edge = (from: Address.Address, to: Address.Address, power: string, delay_seconds: number | null = null) => ({
  from,
  to,
  power,
  delay_seconds
})

const analysis = (
  evidence: ReadonlyArray<Evidence.Evidence>,
  control: Pick<Facts.ControlGraph, "nodes" | "edges"> & Partial<Facts.ControlGraph> = { nodes: [], edges: [] },
  kind: "token" | "wallet" | "contract" = "token"
): ControlDiagram.Analyzed => ({
  target: { kind, address: token, chain: { id: 1, name: "ethereum" } },
  evidence,
  facts: {
    risk: null,
    account: null,
    token: null,
    proxy: null,
    control: { owner: null, controller: null, complete: true, unread: [], ...control },
    pools: null,
    trade: null,
    counterfactuals: null,
    allowances: null,
    permit2: null,
    portfolio: null,
    safe: null,
    unread: {}
  }
})

const controllers = item("control.controllers")

/** The edges in words, each with what it names, and the nodes that no edge shows. */
const words = (of: ControlDiagram.Analyzed): ReadonlyArray<string> => {
  const diagram = ControlDiagram.make(of)
  const title = (id: string) => diagram.nodes.find((each) => each.id === id)?.title ?? assert.fail(`no node ${id}`)
  return diagram.edges.map(
    (each) =>
      `${title(each.from)} ${ControlDiagram.isDoubtful(each) ? "..>" : "-->"} ${title(each.to)}: ${ControlDiagram.labelOf(each)} [${each.evidence_ids.join(" ")}]`
  )
}

const governed = {
  nodes: [
    node(timelock, "timelock", { delay_seconds: 604_800 }),
    node(safe, "safe", { threshold: 2, signers: owners })
  ],
  edges: [edge(timelock, token, "owner"), edge(safe, timelock, "role:PROPOSER_ROLE", 604_800)]
}

const table: ReadonlyArray<readonly [title: string, of: ControlDiagram.Analyzed, drawn: ReadonlyArray<string>]> = [
  ["draws nothing of an analysis without evidence", analysis([], governed), []],
  ["draws nothing where nobody has a power", analysis([item("control.controllers", { state: "refuted" })]), []],
  [
    "follows a timelock to its Safe and the Safe to its owners",
    analysis([controllers], governed),
    [
      "3 owners --> Safe, 2 of 3: 2 of 3 sign [control.controllers]",
      "Timelock, 7 days --> Token: owner [control.controllers]",
      "Safe, 2 of 3 --> Timelock, 7 days: PROPOSER_ROLE, after 7 days [control.controllers]"
    ]
  ],
  [
    "writes a power on the edge by which its holder acts, also through another account",
    analysis(
      [
        controllers,
        item("token.mintable", { controller: holder("eoa", key) }),
        item("proxy.upgradeable", { controller: holder("timelock", timelock) })
      ],
      {
        nodes: [node(key, "eoa"), node(code, "contract"), node(timelock, "timelock", { delay_seconds: 3_600 })],
        edges: [edge(key, token, "owner"), edge(code, token, "upgrader"), edge(timelock, code, "owner")]
      }
    ),
    [
      "Private key --> Token: owner: mint [control.controllers token.mintable]",
      "Contract --> Token: upgrader [control.controllers]",
      "Timelock, 1 hour --> Contract: owner: upgrade the code [control.controllers proxy.upgradeable]"
    ]
  ],
  [
    "draws every holder that a claim names, also where no graph was read",
    analysis([
      item("token.pausable", {
        value: { controllers: [holder("eoa", key), holder("safe", safe)] },
        controller: holder("eoa", key)
      })
    ]),
    [
      "Private key --> Token: pause transfers [token.pausable]",
      "Safe, signers not read --> Token: pause transfers [token.pausable]"
    ]
  ],
  [
    "draws a power that is not decided as unknown, and one of an unknown holder as a power",
    analysis([
      item("token.mintable", { state: "unknown" }),
      item("token.pausable", { controller: holder("unknown", null) }),
      item("token.blacklistable", { state: "unknown", controller: holder("eoa", key) })
    ]),
    [
      "Private key ..> Token: block accounts? [token.blacklistable]",
      "Not known who --> Token: pause transfers, mint? [token.mintable token.pausable]"
    ]
  ],
  [
    "draws what was not read as unknown, of the target and behind an account that decides by itself",
    analysis([controllers], {
      ...governed,
      complete: false,
      unread: [
        { what: "function:0x12345678", reason: "inconclusive" },
        { what: "function:0x87654321", reason: "inconclusive" },
        { what: "list:0x5[k]", reason: "inconclusive" },
        { what: "owner", reason: "rpc_error" },
        { what: `behind:${timelock}`, reason: "rpc_error" }
      ]
    }),
    [
      "3 owners --> Safe, 2 of 3: 2 of 3 sign [control.controllers]",
      "Timelock, 7 days --> Token: owner [control.controllers]",
      "Safe, 2 of 3 --> Timelock, 7 days: PROPOSER_ROLE, after 7 days [control.controllers]",
      "Others not read ..> Timelock, 7 days: act through it? [control.controllers]",
      "Not known who ..> Token: call 2 functions?, be in a list of callers?, owner? [control.controllers]"
    ]
  ],
  [
    "draws nobody where nobody can use a power",
    analysis([item("token.mintable", { controller: holder("dead", null) })]),
    ["Nobody --> Token: mint [token.mintable]"]
  ],
  [
    "draws the code that a proxy runs, and code that was not found as unknown",
    analysis([
      item("proxy.kind", { value: { kind: "eip1967", implementations: [code], beacon: null, conflicts: [] } })
    ]),
    ["Token --> Implementation: runs code of [proxy.kind]"]
  ],
  [
    "draws code that was not found as unknown",
    analysis([item("proxy.kind", { state: "unknown" })]),
    ["Token ..> Code that was not found: runs code of? [proxy.kind]"]
  ],
  [
    "draws the owners and the modules of a Safe",
    analysis(
      [
        item("safe.setup", { value: { owners, threshold: 2 } }),
        item("safe.modules", { value: { modules: [code], unlisted: [] } })
      ],
      undefined,
      "contract"
    ),
    [
      "3 owners --> Safe, 2 of 3: 2 of 3 sign [safe.setup]",
      "Module --> Safe, 2 of 3: act without signatures [safe.modules]"
    ]
  ],
  [
    "draws each spender of a wallet once, with what it can take",
    analysis(
      [
        item(`allowance.unlimited:${safe}:${key}`, { value: { amount: null, balance: null, spender_kind: "eoa" } }),
        item(`allowance.spender-risky:${safe}:${key}`, {
          value: { spender_kind: "eoa", upgrade: "none", pulls: null }
        }),
        item(`allowance.operator:${timelock}:${key}`, { value: { operator_kind: "eoa" } }),
        item(`allowance.permit2:${timelock}:${code}`, { value: { spender_kind: "contract" } }),
        item(`allowance.unlimited:${safe}:${timelock}`, { state: "unknown" })
      ],
      undefined,
      "wallet"
    ),
    [
      `Private key --> Wallet: take all of 1 token, take all of 1 collection [allowance.operator:${timelock}:${key} allowance.spender-risky:${safe}:${key} allowance.unlimited:${safe}:${key}]`,
      `Spender --> Wallet: take 1 token by Permit2 [allowance.permit2:${timelock}:${code}]`
    ]
  ]
]

describe("ControlDiagram", () => {
  for (const [title, of, drawn] of table) it(title, () => assert.sameMembers([...words(of)], [...drawn]))

  it("names for each part an item that is there, and takes the part away with the item", () => {
    for (const [title, of] of table) {
      const diagram = ControlDiagram.make(of)
      const parts = [...diagram.nodes.filter(({ id }) => id !== diagram.target), ...diagram.edges]
      for (const { evidence_ids } of parts) {
        assert.isNotEmpty(evidence_ids, title)
        for (const id of evidence_ids)
          assert.isTrue(
            of.evidence.some((each) => each.id === id),
            `${title}: ${id}`
          )
      }
      for (const { id } of of.evidence) {
        const left = ControlDiagram.make({ ...of, evidence: of.evidence.filter((each) => each.id !== id) })
        assert.notInclude(
          [...left.nodes, ...left.edges].flatMap((part) => part.evidence_ids),
          id,
          title
        )
      }
    }
  })

  it("has every node and edge in the tree that stands beside the drawing", () => {
    for (const [title, of] of table) {
      const diagram = ControlDiagram.make(of)
      const count = (branch: ControlDiagram.Branch): number =>
        branch.branches.reduce((sum, each) => sum + 1 + count(each), 0)
      assert.strictEqual(count(ControlDiagram.tree(diagram)), diagram.edges.length, title)
    }
  })

  it("marks what came, what went and what is different", () => {
    const before = ControlDiagram.make(
      analysis([controllers, item("token.mintable", { controller: holder("eoa", key) })], governed)
    )
    const after = ControlDiagram.make(
      analysis([controllers], {
        nodes: [
          node(timelock, "timelock", { delay_seconds: 3_600 }),
          node(safe, "safe", { threshold: 1, signers: owners.slice(0, 2) }),
          node(code, "contract")
        ],
        edges: [
          edge(timelock, token, "owner"),
          edge(safe, timelock, "role:PROPOSER_ROLE", 3_600),
          edge(code, token, "role:PAUSER_ROLE")
        ]
      })
    )
    const { edges, nodes } = ControlDiagram.compare(before, after)
    const told = [
      ...nodes.map((each) => [each.title, each.change, each.before]),
      ...edges.map((each) => [ControlDiagram.labelOf(each), each.change, each.before])
    ]
    assert.deepStrictEqual(
      told.filter(([, change]) => change !== null),
      [
        ["Timelock, 1 hour", "changed", "Timelock, 7 days"],
        ["Safe, 1 of 2", "changed", "Safe, 2 of 3"],
        ["2 owners", "changed", "3 owners, with 0x888888…888888"],
        ["Contract", "added", ""],
        ["Private key", "removed", ""],
        ["1 of 2 sign", "changed", "2 of 3 sign"],
        ["PROPOSER_ROLE, after 1 hour", "changed", "PROPOSER_ROLE, after 7 days"],
        ["PAUSER_ROLE", "added", ""],
        ["mint", "removed", ""]
      ]
    )
    assert.deepStrictEqual(ControlDiagram.compare(before, before), before)
  })

  it("is drawn in layers, with the target above those who control it also where they act on each other", () => {
    const drawn = ControlDrawing.make(
      ControlDiagram.make(
        analysis([controllers], { ...governed, edges: [...governed.edges, edge(timelock, safe, "timelock")] })
      ),
      "Who controls it"
    ).html
    const height = (title: string) =>
      Number(new RegExp(`translate\\([\\d.]+ ([\\d.]+)\\)"[^>]*>(?:(?!</g>).)*>${title}<`).exec(drawn)?.[1])
    const heights = ["Token", "Timelock, 7 days", "Safe, 2 of 3", "3 owners"].map(height)
    assert.deepStrictEqual(
      heights,
      [...heights].sort((a, b) => a - b),
      drawn
    )
    assert.lengthOf(drawn.match(/class="edge"/g) ?? [], 4)
  })
})

describe("ControlMermaid", () => {
  it("writes the same diagram, with every text quoted", () => {
    const name = item("token.metadata-readable", { value: { symbol: 'A"]; click n0 <b>' } })
    assert.strictEqual(
      ControlMermaid.make(analysis([controllers, name, item("token.mintable", { state: "unknown" })], governed)),
      [
        "flowchart BT",
        `  n0(["A#34;#93;#59; click n0 #60;b#62;<br>${token}"])`,
        `  n1["Timelock, 7 days<br>${timelock}"]`,
        `  n2["Safe, 2 of 3<br>${safe}"]`,
        `  n3["3 owners<br>${owners.join("<br>")}"]`,
        '  n4{{"Not known who"}}',
        '  n3 -->|"2 of 3 sign"| n2',
        '  n1 -->|"owner"| n0',
        '  n2 -->|"PROPOSER#95;ROLE, after 7 days"| n1',
        '  n4 -.->|"mint#63;"| n0'
      ].join("\n")
    )
  })

  it("is empty where there is nothing to draw", () => assert.strictEqual(ControlMermaid.make(analysis([])), ""))
})

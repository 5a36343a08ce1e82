// The import ranks of ARCHITECTURE.md: a module imports lower ranks and its own folder. Type imports count.
const ranks = [
  ["runtime"],
  ["domain", "data"],
  ["evm"],
  ["chain", "storage"],
  ["facts"],
  ["checks"],
  ["risk", "changes", "summary", "report", "quota", "keys"],
  ["analysis", "events"],
  ["executions"],
  ["watches"],
  ["testing"]
]
const core = "^packages/core/src/"

const downwards = ranks.flatMap((rank, index) =>
  rank.map((folder) => {
    const refused = ranks
      .slice(index)
      .flat()
      .filter((other) => other !== folder)
    return {
      name: `${folder}-imports-lower-ranks-only`,
      severity: "error",
      from: { path: `${core}${folder}/` },
      to: { path: `${core}(?:index\\.ts$${refused.map((other) => `|${other}/`).join("")})` }
    }
  })
)

// The rooms of evm/, chain/, facts/ and checks/token/, and the modules of report/, lowest rank first: each imports itself and those before it.
const rooms = {
  evm: [
    "bytecode/",
    "expression/",
    "interpreter/",
    "summary/conditions/",
    "summary/signatures/",
    "summary/writes/",
    "summary/[^/]+$",
    "patterns/",
    "token/",
    "powers/transfer/",
    "powers/custody/",
    "powers/balance/",
    "powers/mint/",
    "powers/rules/",
    "powers/[^/]+$"
  ],
  // The root has what all rooms know, and what brings the rooms together.
  chain: [
    "(?:ChainError|Chains|EndpointFailure)\\.",
    "rpc/",
    "state/",
    "sources/",
    "(?!(?:ChainError|Chains|EndpointFailure)\\.)[^/]+$"
  ],
  facts: ["[^/]+$", "native/", "code/", "venue/", "control/", "market/", "trade/", "powers/", "wallet/"],
  "checks/token": ["[^/]+$", "powers/", "trade/", "liquidity/", "holders/", "identity/"],
  report: [
    "Sentence",
    "Layout",
    "Findings",
    "Doubt",
    "Power",
    "Fit",
    "Reasons",
    "Reassurances",
    "Exit",
    "Headline",
    "ControlDiagram",
    "ControlMermaid",
    "page/",
    "Report"
  ]
}

const upwardsIn = (base, rooms) =>
  Object.entries(rooms).flatMap(([folder, order]) =>
    order.slice(0, -1).map((room, index) => ({
      name: `${folder.replace("/", "-")}-${room === "[^/]+$" ? "files" : room.replace(/[^a-zA-Z/]|\/$/g, "")}-imports-lower-rooms-only`,
      severity: "error",
      from: { path: `${base}${folder}/${room}` },
      to: { path: `${base}${folder}/(?:${order.slice(index + 1).join("|")})` }
    }))
  )

// The server's, of which the settings know no handler.
const server = "^packages/server/src/"
const upwards = [
  ...upwardsIn(core, rooms),
  ...upwardsIn(server, { http: ["[^/]+$", "observability/", "representation/", "edge/", "handlers/"] }),
  {
    name: "settings-know-no-http",
    severity: "error",
    from: { path: `${server}(?:[^/]*Config|Setting[^/]*)\\.` },
    to: { path: `${server}http/` }
  }
]

// What package.json of core exports; core itself and its tests import the rest by relative paths.
const exported = Object.values(require("./packages/core/package.json").exports)
  .map((file) => /^\.\/dist\/(.*)\.js$/.exec(file)?.[1])
  .filter((module) => module !== undefined)

// A workspace package is what tsc built of it, or its bare name as long as it is not built.
const sandbox = "^(?:testing/|@assay/)sandbox(?:/|$)"
const worlds = "^(?:testing/|@assay/)worlds(?:/|$)"
const not = (name, from, to) => ({ name, severity: "error", from, to })

module.exports = {
  forbidden: [
    ...downwards,
    ...upwards,
    not("no-cycles", {}, { circular: true }),
    not(
      "code-model-runs-the-interpreter",
      { path: `${core}(?!evm/interpreter/)` },
      { path: `${core}evm/interpreter/AbstractInterpreter` }
    ),
    not("no-unresolvable", { path: "^(?:packages|examples|testing)/[^/]+/src/" }, { couldNotResolve: true }),
    not("platform-in-chain-only", { path: `${core}(?!chain/|events/|summary/)` }, { path: "@effect/platform" }),
    not("no-platform-in-stores", { path: "^packages/storage-[^/]+/src/" }, { path: "@effect/platform" }),
    // A program that analyses and shows no page does not load it.
    not("diagrams-in-pages-only", { path: `${core}(?!report/page/)` }, { path: "@dagrejs/dagre" }),
    not("no-sql-in-core-or-server", { path: "^packages/(?:core|server)/src/" }, { path: "@effect/sql" }),
    not(
      "models-in-summary-only",
      { path: "^(?:packages|examples|testing)/", pathNot: `${core}summary/model/` },
      { path: "@effect/ai" }
    ),
    not("no-platform-node-in-core", { path: core }, { path: "@effect/platform-node" }),
    not("core-stands-alone", { path: core }, { path: "^packages/(?!core/)" }),
    not(
      "internals-stay-in-core",
      { path: "^(?:packages/(?!core/)|examples/|testing/)" },
      { path: `^packages/core/(?:src|dist)/(?!(?:${exported.join("|")})\\.)` }
    ),
    // The index loads the engine, which a server starts without.
    not(
      "core-is-imported-by-module",
      { path: "^packages/(?:sdk|server|storage-[^/]+)/src/" },
      { path: "^packages/core/(?:src|dist)/index\\." }
    ),
    not("stores-know-core-only", { path: "^packages/storage-[^/]+/src/" }, { path: "^(?:packages/server|testing)/" }),
    not(
      "storage-sql-knows-no-back-end",
      { path: "^packages/storage-sql/src/" },
      { path: "^(?:packages/|@assay/)storage-(?:postgres|sqlite)(?:/|$)" }
    ),
    // But the demo, whose bundle has the two modules that start anvil and ask it.
    not("nobody-ships-the-sandbox", { path: "^(?:packages/(?!demo/)|examples/)[^/]+/src/" }, { path: sandbox }),
    not(
      "demo-starts-anvil-only",
      { path: "^packages/demo/src/" },
      {
        path: "^(?:packages|testing)/",
        pathNot: "^(?:packages/demo/|testing/sandbox/(?:src|dist)/chain/(?:Anvil|JsonRpc)\\.)"
      }
    ),
    not("nobody-ships-the-worlds", { path: "^(?:packages|examples)/[^/]+/src/" }, { path: worlds }),
    not(
      "worlds-know-core-only",
      { path: "^testing/worlds/src/" },
      { path: "^(?:packages/(?!core/)|testing/(?!worlds/))" }
    ),
    not(
      "nobody-ships-the-adversary",
      { path: "^(?:packages|examples)/[^/]+/src/" },
      { path: "^(?:testing/adversary(?:/|$)|@assay/adversary(?:/|$))" }
    ),
    not(
      "adversary-knows-core-and-sandbox-only",
      { path: "^testing/adversary/src/" },
      { path: "^(?:packages/|testing/|examples/|@assay/)(?!core(?:/|$)|sandbox(?:/|$)|adversary(?:/|$))" }
    ),
    // What judges the engine sees a chain, and of the engine what it said.
    not(
      "only-the-product-is-the-engine",
      { path: "^testing/adversary/src/(?!Product\\.ts$)" },
      { path: "^(?:packages/|@assay/)core(?:/|$)" }
    ),
    not("sandbox-stands-alone", { path: "^testing/sandbox/src/" }, { path: "^(?:packages/|testing/(?!sandbox/))" }),
    not("no-package-imports-examples", { path: "^packages/" }, { path: "^examples/" })
  ],
  options: {
    doNotFollow: { path: ["node_modules", "/dist/"] },
    exclude: { path: ["/test/", "/scripts/", "/dist/.*\\.map$"] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.base.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "types", "node"] }
  }
}

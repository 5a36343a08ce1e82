import { createHash } from "node:crypto"
import type { ListedChain } from "../../api/ListedChain.js"
import * as Routes from "../Routes.js"
import type * as Samples from "../representation/Samples.js"

/**
 * The page of a stranger: what this is, how to get a key and a first report, and where everything else is. It has no
 * script and loads nothing. `origin` is the server as the reader has called it, and the API is below `basePath` there.
 */
export const make = (options: {
  readonly origin: string
  readonly basePath: string
  readonly chains: ReadonlyArray<ListedChain>
  readonly samples: ReadonlyArray<Samples.Group>
  readonly creation: "open" | "invite" | "closed"
}): string =>
  `${[
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    "<title>Assay</title>",
    `<style>${style}</style>`,
    "</head>",
    "<body>",
    "<h1>Assay</h1>",
    "<p>What is this address, what can its owner do to me, and what changed since my last check?</p>",
    "<p>This server analyses EVM tokens, wallets and contracts and answers with evidence: each claim is <em>confirmed</em>, <em>refuted</em> or <em>unknown</em>, names its block and the call that decided it, and unknown is never safe.</p>",
    `<p>It reads ${options.chains.map(namedAmong(options.chains)).join(", ")}.</p>`,
    ...keyOf(options.creation, `API=${options.origin}${options.basePath}/api/v1`),
    "<h2>2. Read a report</h2>",
    "<p>A token, a wallet or a contract: the server finds out which. It costs one unit of the day.</p>",
    `<pre>${escape(
      `curl -s -H "authorization: Bearer $KEY" -H 'accept: text/plain' \\\n  $API/address/${options.samples[0]?.targets[0]?.address ?? "0x…"}`
    )}</pre>`,
    "<p>Without the <code>accept</code> field the answer is JSON with all evidence, and with <code>?view=report</code> the report in at most 3 KB of JSON.</p>",
    ...(options.samples.length === 0
      ? []
      : [
          "<h2>Addresses to try</h2>",
          "<p>The chain is a sandbox on this machine. Each of its targets stands for one way in which things go well or wrong.</p>",
          ...options.samples.flatMap(groupOf)
        ]),
    "<h2>Everything else</h2>",
    "<ul>",
    ...links.map(([path, text]) => `<li><a href="${options.basePath}${path}">${text}</a></li>`),
    `<li>Agents: the Model Context Protocol at <code>${options.basePath}${Routes.mcp}</code>, with the same key</li>`,
    "</ul>",
    "</body>",
    "</html>"
  ].join("\n")}\n`

const keyOf = (creation: "open" | "invite" | "closed", address: string): ReadonlyArray<string> => {
  const made = (members: string) =>
    `<pre>${escape(
      [
        address,
        `KEY=$(curl -s $API/keys -H 'content-type: application/json' -d '{"label":"me"${members}}' |`,
        `  sed 's/.*"key":"\\([^"]*\\)".*/\\1/')`
      ].join("\n")
    )}</pre>`
  switch (creation) {
    case "open":
      return [
        "<h2>1. Make a key</h2>",
        "<p>In a terminal. The key is shown once, and this keeps it in <code>$KEY</code>.</p>",
        made("")
      ]
    case "invite":
      return [
        "<h2>1. Make a key</h2>",
        "<p>In a terminal, with the invitation that the operator of this server sent you. The key is shown once, and this keeps it in <code>$KEY</code>.</p>",
        made(',"invitation":"asi_…"')
      ]
    case "closed":
      return [
        "<h2>1. Request a key</h2>",
        "<p>From the operator of this server, who creates it for you: here nobody makes a key for themselves. Then, in a terminal:</p>",
        `<pre>${escape([address, "KEY=asy_…"].join("\n"))}</pre>`
      ]
  }
}

const links: ReadonlyArray<readonly [string, string]> = [
  [Routes.docs, "Documentation: every route, to try out"],
  [Routes.openApi, "The OpenAPI document"],
  ["/api/v1/chains", "Chains"],
  ["/api/v1/limits", "Limits"],
  ["/api/v1/evidence-rules", "The kinds of evidence"],
  ["/api/v1/problems", "Errors, and what to do about each"],
  ["/api/v1/health/ready", "Health"]
]

const namedAmong =
  ({ length }: ReadonlyArray<ListedChain>) =>
  (chain: ListedChain): string =>
    `${escape(chain.name)} (${chain.id}${chain.default && length > 1 ? ", the default" : ""})`

const groupOf = ({ heading, targets }: Samples.Group, index: number): ReadonlyArray<string> => [
  `<details${index === 0 ? " open" : ""}><summary>${escape(heading)} (${targets.length})</summary>`,
  "<dl>",
  ...targets.map(
    ({ address, description, kind, name }) =>
      `<dt>${escape(name)}, a ${kind}</dt><dd>${escape(description)}<br><code>${escape(address)}</code></dd>`
  ),
  "</dl>",
  "</details>"
]

const style = [
  ":root{color-scheme:light dark;--text:#222;--soft:#5a5a5a;--page:#fff;--box:#f3f3f3;--link:#0b57d0}",
  "@media(prefers-color-scheme:dark){:root{--text:#e6e6e6;--soft:#a8a8a8;--page:#16181c;--box:#23262c;--link:#8ab4f8}}",
  "body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem;color:var(--text);background:var(--page)}",
  "h1{font-size:1.5rem;margin:0}h2{font-size:1.1rem;margin:1.8rem 0 .3rem}p{margin:.5rem 0}a{color:var(--link)}",
  "ul{margin:.5rem 0;padding-left:1.2rem}li{margin:.3rem 0}code,pre{font:13px/1.5 ui-monospace,monospace;overflow-wrap:anywhere}",
  "pre{background:var(--box);padding:.7rem .8rem;border-radius:.3rem;white-space:pre-wrap}",
  "details{margin:.3rem 0}summary{cursor:pointer;padding:.25rem 0}dl{margin:.3rem 0 .8rem 1rem}dt{font-weight:600;margin-top:.6rem}",
  "dd{margin:0;color:var(--soft)}"
].join("")

/** What the page may do in a browser: show its own style, and nothing else. */
export const contentSecurityPolicy = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

const entities: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? "")

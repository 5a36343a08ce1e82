// Runs the commands that the READMEs and docs print, in a clean clone, against one sandbox chain. What is not run stands in
// `exceptions` with the reason.
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"

const began = performance.now()

// What is printed and not run here: the command, or its beginning and `*`.
const exceptions = [
  ["npm test*", "takes minutes, and .ci/run runs it"],
  ["npm run test:all", "takes hours; .ci/run runs a part of it"],
  [".ci/run", "runs this check"],
  ["npm run check", "runs this check, and .ci/run what else is in it"],
  ["npm run commands", "is this check"],
  ["npm run boundaries", "is a part of .ci/run"],
  ["npm run bench*", "measures for minutes"],
  ["npm run faults", "takes hours; .ci/run fails a part of the calls in its tests"],
  ["npm run fuzz", "takes minutes; .ci/run sends a part of the requests in its tests"],
  ["npm run quiet", "watches for minutes"],
  ["npm run mutants", "is a part of the tests of landing"],
  ["npm run simulate*", "takes minutes; .ci/run simulates in its tests"],
  ["npm run adversary*", "composes and analyses tokens for minutes; .ci/run does in its tests"],
  ["npm run reports", "analyses for minutes and rewrites docs/reports"],
  ["npm run pictures", "opens pages in a browser for minutes and rewrites docs/reports/pictures"],
  [
    "npm run revokes",
    "needs Foundry's cast; packages/core/test/report/Revocation.test.ts sends the same in a simulated block"
  ],
  ["npm run generate", "compiles contracts and rewrites committed files"],
  ["npm run compile -w @assay/sandbox", "compiles contracts and rewrites committed files"],
  ["npm install*", "npm run installs installs by these lines, from packed packages"],
  ["npx assay watch*", "says nothing until something changes; packages/server/test/cli/Watch.test.ts runs it"],
  ["npm run installs", "is a part of .ci/run"],
  ["npm run installs -- --all", "takes minutes, and .ci/run runs most of it"],
  ["npm run deployment", "takes a minute and has to be root"],
  ["assay keys*", "is the command where it is installed; packages/server/test/cli runs it"],
  ["curl -s https://assay.example/*", "names a server of the reader"],
  ["npx tsx*", "runs a program of a guide, which the tests of examples/ take from it and run"],
  ["npm pkg set type=module", "belongs to the folder in which a guide begins"],
  ["curl -X POST http://127.0.0.1:3000/*", "needs a program of a guide; examples/mounted sends the same"],
  ["curl http://127.0.0.1:3000/*", "needs a program of a guide; examples/mounted sends the same"],
  ["npx assay analyze", "names the command, which is run with an address"],
  ["cd examples/deploy", "npm run deployment does this in a copy"],
  ["mkdir -m 700 secrets", "npm run deployment does this in a copy"],
  ["openssl rand*", "npm run deployment does this in a copy"],
  ['echo "postgres://*', "npm run deployment does this in a copy"],
  ["export ASSAY_DOMAIN=*", "npm run deployment does this in a copy"],
  ["docker compose up*", "needs a docker daemon; npm run deployment does the steps of the image"],
  ["npx assay migrate*", "needs a Postgres; packages/server/test/cli/Migrate.test.ts runs it where there is one"]
]

// What runs until it is stopped: what it says once it does what it promises, and the code with which Ctrl-C ends it.
const lasting = [
  { match: /(?:^|\s)npm start$/, says: /^All settings: .*\n/m, code: 0 },
  { match: /^npm run sandbox$/, says: /^Ctrl-C ends it\.$/m, code: 0 },
  { match: /assay serve$/, says: /Listening on http/, code: 0 },
  { match: /assay demo$/, says: /^(?:[\s\S]*npx assay analyze 0x){10}[\s\S]*Ctrl-C/, code: 0 },
  { match: /^curl -N /, says: /\n/, code: 130 }
]

// Exit codes that a command may have beside 0: what it says of an endpoint is no failure of it.
const documented = [{ match: /assay doctor/, codes: [0, 3] }]

/** All Markdown with commands: what a reader of the repository or of a package has before them. */
const documents = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "CONVENTIONS.md",
  ...["packages", "examples"].flatMap((folder) => readdirSync(folder).map((name) => `${folder}/${name}/README.md`)),
  ...["sandbox", "worlds"].map((name) => `testing/${name}/README.md`),
  ...readdirSync("docs").map((name) => `docs/${name}`),
  ...readdirSync("docs/guides").map((name) => `docs/guides/${name}`),
  "docs/reports/README.md"
].filter((file) => file.endsWith(".md") && existsSync(file))

/** The commands of a line, without its comment. */
const commandsOf = (line) =>
  line
    .replace(/\s+#\s.*$/, "")
    .split(" && ")
    .map((command) => command.trim())
    .filter((command) => command !== "" && !command.startsWith("#"))

/** The commands of the first cell of a row: a span that begins within a command goes on after the words before it. */
const commandsOfCell = (cell) => {
  const [first = "", ...others] = [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text)
  if (!/^assay [a-z]/.test(first)) return []
  const group = first.split(" ").slice(0, 2).join(" ")
  return [
    first,
    ...others.filter((text) => /^[a-z]/.test(text)).map((text) => (/^assay /.test(text) ? text : `${group} ${text}`))
  ]
}

/** What a document prints, as it is typed: lines of `sh` blocks, npm commands in the text, and the commands of tables. */
const printedIn = (file) => {
  const text = readFileSync(file, "utf8")
  const blocks = [...text.matchAll(/^```(?:sh|bash|console)\n([\s\S]*?)^```$/gm)].flatMap(([, block]) =>
    block
      .replace(/\\\n\s*/g, "")
      .split("\n")
      .flatMap(commandsOf)
  )
  const prose = text.replace(/^```[\s\S]*?^```$/gm, "")
  const spans = [...prose.matchAll(/`((?:npm (?:run |start|test|ci|install)|npx |\.ci\/run)[^`]*)`/g)].flatMap(
    ([, span]) => commandsOf(span)
  )
  const cells = [...prose.matchAll(/^\|([^|]*)\|/gm)].flatMap(([, cell]) => commandsOfCell(cell))
  return [...blocks, ...spans, ...cells.map((command) => `npx ${command}`)]
}

const isException =
  (command) =>
  ([pattern]) =>
    pattern.endsWith("*") ? command.startsWith(pattern.slice(0, -1)) : command === pattern

const printed = new Map()
for (const file of documents)
  for (const command of printedIn(file)) if (!printed.has(command)) printed.set(command, file)

const failures = []
const fail = (command, reason) => failures.push(`${printed.get(command) ?? "npm start"}: ${command}\n    ${reason}`)

const { scripts } = JSON.parse(readFileSync("package.json", "utf8"))
for (const [command] of printed) {
  const name = /^npm run ([\w:]+)/.exec(command)?.[1] ?? "start"
  if (!(name in scripts) && !command.includes(" -w ")) fail(command, `there is no script ${name}`)
}
for (const exception of exceptions)
  if (![...printed.keys()].some((command) => isException(command)(exception)))
    failures.push(`the exception ${exception[0]} stands for nothing that is printed: remove it`)

const folder = mkdtempSync(join(tmpdir(), "assay-commands-"))
const clone = join(folder, "assay")
const running = new Set()

// What of this process is not for a shell that a user opens, and answers of the server that are problems fail.
writeFileSync(join(folder, ".curlrc"), "fail-with-body\nsilent\nshow-error\n")
const environment = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:assay_|npm_|node_options)/i.test(name))),
  ASSAY_PORT: "0",
  CURL_HOME: folder,
  npm_config_prefer_offline: "true",
  npm_config_update_notifier: "false"
}

/** A line in the shell of a user, and what it wrote. */
const shell = (line, settings = {}) => {
  const child = spawn("sh", ["-c", line], {
    cwd: clone,
    env: { ...environment, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true
  })
  const process = { child, output: "", ended: once(child, "close").then(([code]) => code) }
  running.add(process)
  process.ended.then(() => running.delete(process))
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => {
      process.output += text
    })
  return process
}

const within = async (process, seconds, promise) => {
  const over = new AbortController()
  const late = pause(seconds * 1000, undefined, { signal: over.signal }).then(
    () => Promise.reject(new Error(`nothing came of it in ${seconds} s: ${process.output}`)),
    () => {}
  )
  try {
    return await Promise.race([promise, late])
  } finally {
    over.abort()
  }
}

// A bound of what hangs, in seconds, and no measure of speed.
const hang = 900

const trace = /^\s+at .*(?::\d+:\d+\)?|<anonymous>)$/m

/** Runs a line to its end and gives what it wrote; undefined, and a failure, where it went wrong. */
const ends = async (command, line = command, settings = {}) => {
  const process = shell(line, settings)
  const codes = documented.find(({ match }) => match.test(command))?.codes ?? [0]
  const code = await within(process, hang, process.ended)
  const { output } = process
  if (codes.includes(code) && !trace.test(output)) {
    console.log(`${command}${code === 0 ? "" : ` (${code})`}`)
    return output
  }
  fail(command, `as ${line}\n    ended with ${code} and ${output.trim()}`)
  return undefined
}

/** The program that a shell started, perhaps by npm and another shell. */
const programOf = (pid) => {
  const { stdout } = spawnSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" })
  const all = stdout
    .trim()
    .split("\n")
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .map(([, id, parent, args]) => ({ id: Number(id), parent: Number(parent), args }))
  let found = all.find(({ id }) => id === pid)
  while (found !== undefined && /^(?:\S*\/)?(?:sh|npm|npx)\b/.test(found.args))
    found = all.find(({ parent }) => parent === found.id)
  return found?.id ?? pid
}

/** Starts what runs until it is stopped, and waits until it says what it promises. */
const begins = async (command, line = command, settings = {}) => {
  const { code, says } = lasting.find(({ match }) => match.test(command))
  const process = shell(line, settings)
  const said = async () => {
    while (!says.test(process.output))
      await Promise.race([
        once(process.child.stdout, "data"),
        process.ended.then((code) => Promise.reject(new Error(`ended with ${code}`)))
      ])
  }
  await within(process, hang, said())
  return {
    process,
    stop: async () => {
      globalThis.process.kill(programOf(process.child.pid), "SIGINT")
      const ended = await within(process, hang, process.ended)
      if (ended === code && !trace.test(process.output)) console.log(`${command} (until Ctrl-C)`)
      else fail(command, `as ${line}\n    ended with ${ended} after SIGINT and ${process.output.trim()}`)
    }
  }
}

/** What stands in the place of what a reader fills in. */
const filledIn = (command, { address, block, invitation, key, origin, url }) =>
  command
    .replace(/\s\[[^\]]*\]/g, "")
    .replace(/https:\/\/(?:your-endpoint(?:\.example)?|another|…)/g, url)
    .replace(/'1=/, "'31337=")
    .replace("http://127.0.0.1:8545", url)
    .replace("http://127.0.0.1:8787", origin)
    .replace(/0x…|\bADDRESS\b/g, address)
    .replace("wait=30", "wait=1")
    // Of util-linux, which not every machine has.
    .replace("uuidgen", "node -p 'crypto.randomUUID()'")
    .replace("diff A B", "diff result.json result.json")
    .replace("--block N --block M", `--block ${block - 1} --block ${block}`)
    .replace("explain ID", "explain token.mintable")
    .replace("end-invitation ID", `end-invitation ${invitation}`)
    .replace(/(keys .*)\bID\b/, `$1${key}`)
    .replace(/\bPLAN\b/, "none")
    .replace(/\bLABEL\b/, "printed")
    .replace(/\bUNITS\b/, "100")
    .replace(/(verify) FILE/, "$1 result.json")
    .replace(/\bFILE\b/, "backup.db")

const sandboxOf = async (output) => {
  const [, url, block] = /^(http:\S+), chain \d+, block (\d+)/m.exec(output)
  const address = /^(0x\w+)\s+token\s+plain\s/m.exec(output)[1]
  return { url, address, block: Number(block) }
}

const all = async () => {
  const { stdout } = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    encoding: "utf8",
    maxBuffer: 1 << 26
  })
  for (const file of stdout.split("\0").filter((file) => file !== "" && existsSync(file)))
    cpSync(file, join(clone, file), { recursive: true })
  // Nothing is compiled here: what `npm ci` compiled for the repository is the same release.
  await ends("npm ci", "npm ci --ignore-scripts")
  const compiled = "node_modules/better-sqlite3/build"
  cpSync(compiled, join(clone, compiled), { recursive: true })

  const start = await begins("npm start")
  const screen = start.process.output
  const origin = /^API=(\S+)\/api\/v1$/m.exec(screen)[1]
  const setUp = /^API=.*\nKEY=.*\n.*\nAUTH=.*$/m.exec(screen)[0]
  const key = (await ends("KEY=$(curl …)", `${setUp}\nprintf %s "$KEY"`)) ?? ""
  // The same names in the shell of whoever has pasted the lines before.
  const named = setUp.replace(/^KEY=[\s\S]*?(?=\nAUTH=)/m, `KEY=${key}`)
  for (const [line] of screen.matchAll(/^curl .*$/gm)) {
    const output = await ends(line, `${named}\n${line}`)
    if (output !== undefined && !/^(?:Token|Wallet|Contract) .*0x\w{40}\n/.test(output))
      fail(line, `gave no report: ${output.slice(0, 500)}`)
  }

  await ends("npm run build")
  const sandbox = await begins("npm run sandbox", "npm run sandbox", { PORT: "0" })
  const known = { ...(await sandboxOf(sandbox.process.output)), origin, key: "", invitation: "" }
  const settings = { ASSAY_RPC_URLS: `31337=${known.url}`, KEY: key }
  // What a package is built from when it is packed, and what a reader has at hand.
  await ends("npm run prepack -w @assay/demo")
  writeFileSync(join(clone, "addresses.txt"), `${known.address}\n`)
  await ends(
    "npx assay analyze 0x… --json --full",
    `npx assay analyze ${known.address} --json --full > result.json`,
    settings
  )

  const done = ["npm ci", "npm start", "npm run build", "npm run sandbox"]
  for (const command of printed.keys()) {
    if (done.includes(command) || exceptions.some(isException(command))) continue
    const line = filledIn(command, known)
    if (line.includes("…")) fail(command, `what is to stand in the place of "…" is not known here`)
    else if (lasting.some(({ match }) => match.test(command))) await (await begins(command, line, settings)).stop()
    else {
      const output = await ends(command, line, settings)
      known.key = /\bkey_\w{26}\b/.exec(output ?? "")?.[0] ?? known.key
      known.invitation = /\binv_\w{26}\b/.exec(output ?? "")?.[0] ?? known.invitation
    }
  }
  await start.stop()
  await sandbox.stop()
}

try {
  if (failures.length === 0) await all()
} catch (error) {
  failures.push(error.message)
} finally {
  for (const { child } of running) process.kill(-child.pid, "SIGKILL")
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
if (failures.length > 0) {
  console.error(`\n${failures.join("\n\n")}`)
  process.exit(1)
}
console.log(
  `${printed.size} printed commands, of which ${[...printed.keys()].filter((command) => exceptions.some(isException(command))).length} are exceptions, in ${Math.round((performance.now() - began) / 1000)} s`
)

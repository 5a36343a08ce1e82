import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SharedSandbox } from "@assay/sandbox"
import { Webhook } from "standardwebhooks"
import { encodeFunctionData, parseAbi } from "viem/utils"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../../test/Tier.js"
import { EventReader } from "../EventReader.js"
import { DatabaseFile } from "./DatabaseFile.js"
import { eventually, ServerProcess } from "./ServerProcess.js"
import { WebhookReceiver } from "./WebhookReceiver.js"

const json = (body: unknown, method = "POST") => ({
  method,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

describe.runIf(Tier.landing)("a watch over HTTP", () => {
  let directory: string
  let sandbox: SharedSandbox.SharedSandbox
  let receiver: WebhookReceiver
  let settings: Record<string, string>
  let server: ServerProcess
  let key: string

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "assay-integration-"))
    sandbox = await SharedSandbox.take()
    receiver = await WebhookReceiver.start()
    settings = {
      ASSAY_DATABASE: `sqlite:${join(directory, "watches.db")}`,
      ASSAY_RPC_URLS: `31337=${sandbox.url}`,
      ASSAY_WEBHOOKS_ALLOW_PRIVATE: "on",
      ASSAY_WEBHOOKS_ALLOW_HTTP: "on",
      ASSAY_METRICS_PORT: "0"
    }
    server = await ServerProcess.start({ ...settings, ASSAY_SCHEDULER: "off" })
    key = await server.createKey()
  })

  afterAll(async () => {
    await server?.kill()
    receiver?.stop()
    rmSync(directory, { recursive: true, force: true })
  })

  const stream = (lastEventId?: string) =>
    EventReader.open(`${server.origin}/api/v1/events/stream`, {
      authorization: `Bearer ${key}`,
      ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId })
    })

  let watchPath: string
  let webhookPath: string
  let secret: string
  let ping: string
  let changed: string | undefined

  it("a process that leaves checks and messages to others keeps them, and says so", async () => {
    assert.deepInclude((await server.send("health/ready")).json.checks, { scheduler: "off" })
    const webhook = await server.send("webhooks", { key, ...json({ url: `${receiver.origin}/hook?token=abc` }) })
    assert.strictEqual(webhook.status, 201, webhook.text)
    secret = webhook.json.secret
    webhookPath = `webhooks/${webhook.json.id}`
    const { address, kind } = sandbox.targets.approver
    const watch = await server.send("watches", { key, ...json({ target: kind, address, label: "my wallet" }) })
    assert.strictEqual(watch.status, 201, watch.text)
    assert.deepStrictEqual(watch.json.warnings, [])
    watchPath = `watches/${watch.json.id}`
    assert.isAtMost(Date.parse(watch.json.next_due_at) - Date.parse(watch.json.created_at), 60_000)
    const { json: tested } = await server.send(`${webhookPath}/test`, { key, method: "POST" })
    ping = tested.id
    assert.strictEqual(await server.stop(), 0)
    assert.deepStrictEqual(receiver.received, [])
    assert.notInclude(server.log, "token=abc")
  })

  it("another one sends what waits, and its first check is the base and reports nothing", async () => {
    // The first check is made within a minute, which goes by here.
    const file = new DatabaseFile(join(directory, "watches.db"))
    await file.elapse(60_000)
    await file.close()
    server = await ServerProcess.start(settings)
    assert.deepInclude((await server.send("health/ready")).json.checks, { scheduler: "ok" })
    const [sent] = await eventually(
      async () => receiver.received,
      ({ length }) => length === 1
    )
    assert.strictEqual(sent?.headers["webhook-id"], ping)

    const checked = await eventually(
      async () => (await server.send(watchPath, { key })).json,
      ({ counts, running }) => counts.checks === 1 && !running
    )
    assert.deepInclude(checked, { last_error: null, last_error_code: null, consecutive_failures: 0 })
    assert.isAtLeast(Date.parse(checked.last_checked_at), Date.parse(checked.created_at))
    assert.strictEqual(checked.last_result.change_report.status, "baseline")
    const { address, kind } = sandbox.targets.approver
    assert.deepInclude(checked.last_result, {
      summary: null,
      summary_status: "skipped",
      units: 1,
      target: kind,
      address
    })
    assert.strictEqual((await server.send("events", { key })).json.data.length, 1)
    assert.deepInclude(await server.usage(key), { used: 1, reserved: 0 })
    assert.strictEqual(receiver.received.length, 1)
  })

  it("what happened on the chain is one event, in the log, in the stream and in one signed message", async () => {
    const { accounts, targets } = sandbox
    await sandbox.transact({
      from: accounts.approver,
      to: targets.plain.address,
      data: encodeFunctionData({
        abi: parseAbi(["function approve(address, uint256) returns (bool)"]),
        args: [accounts.spender, 0n]
      })
    })
    // The newest block is remembered for a second, but not beyond a restart.
    assert.strictEqual(await server.stop(), 0)
    server = await ServerProcess.start(settings)
    const reader = await stream()
    const first = await reader.next()
    assert.strictEqual(first?.event, "test.ping")
    const asked = await server.send(`${watchPath}/run`, { key, method: "POST" })
    assert.strictEqual(asked.status, 202, asked.text)
    assert.deepInclude(asked.json, { trigger: "manual", status: "running" })

    // A grave change is read again on a later block before it is reported, so the chain has to go on.
    const runs = await eventually(
      async () => {
        await sandbox.rpc.call("evm_mine", [])
        return (await server.send(`${watchPath}/runs`, { key })).json.data
      },
      ([newest]) => newest.status !== "running"
    )
    assert.deepInclude(runs[0], { id: asked.json.id, status: "succeeded", change_status: "changed", units: 1 })

    const { data: events } = await eventually(
      async () => (await server.send(`events?after=${first?.id}&wait=5`, { key })).json,
      ({ data }) => data.length > 0
    )
    assert.strictEqual(events.length, 1)
    const [event] = events
    assert.deepInclude(event, { type: "watch.changed", sequence: 2 })
    assert.deepInclude(event.data, { label: "my wallet", execution_id: runs[0].execution_id })
    const path = event.data.changes_url.replace("/api/v1/", "")
    assert.strictEqual((await server.send(path, { key })).status, 200)
    const revoked = event.data.changes.filter(({ id }: Record<string, string>) =>
      id?.toLowerCase().includes(targets.plain.address.toLowerCase())
    )
    assert.isAbove(revoked.length, 0, JSON.stringify(event.data.changes))

    const message = await reader.next()
    reader.close()
    changed = message?.id
    assert.strictEqual(message?.event, "watch.changed")
    assert.deepStrictEqual(JSON.parse(message?.data ?? ""), event)

    await eventually(
      async () => (await server.send(`${webhookPath}/deliveries`, { key })).json.data,
      ([delivery]) => delivery?.status === "delivered"
    )
    assert.strictEqual(receiver.received.length, 2)
    const [, sent] = receiver.received
    assert.strictEqual(sent?.path, "/hook?token=abc")
    assert.strictEqual(sent?.headers["webhook-id"], event.id)
    const verified = new Webhook(secret).verify(sent?.body ?? "", sent?.headers as Record<string, string>)
    assert.deepStrictEqual(verified, event)
    assert.throws(() => new Webhook(secret).verify(`${sent?.body} `, sent?.headers as Record<string, string>))

    const changes = await server.send(`${watchPath}/changes`, { key })
    assert.deepStrictEqual(
      changes.json.data.map(({ id }: Record<string, string>) => id),
      [asked.json.id]
    )
    assert.deepInclude(await server.usage(key), { used: 2, reserved: 0 })
  })

  it("during a rotation messages verify with either secret", async () => {
    const { json: rotated } = await server.send(`${webhookPath}/rotate-secret`, { key, method: "POST" })
    assert.strictEqual((await server.send(`${webhookPath}/test`, { key, method: "POST" })).status, 202)
    await eventually(
      async () => receiver.received,
      ({ length }) => length === 3
    )
    const sent = receiver.received[2]
    for (const known of [secret, rotated.secret])
      new Webhook(known).verify(sent?.body ?? "", sent?.headers as Record<string, string>)
    assert.strictEqual(JSON.parse(sent?.body ?? "{}").type, "test.ping")
  })

  it("a message that is refused is kept, and sent again on its owner's request", async () => {
    receiver.status = 500
    const { json: tested } = await server.send(`${webhookPath}/test`, { key, method: "POST" })
    const [failed] = await eventually(
      async () => (await server.send(`${webhookPath}/deliveries`, { key })).json.data,
      ([delivery]) => delivery.event_id === tested.id && delivery.attempt === 1
    )
    assert.deepInclude(failed, { status: "exhausted", http_status: 500, error_class: "status" })
    receiver.status = 200
    const retried = await server.send(`${webhookPath}/deliveries/${failed.id}/retry`, { key, method: "POST" })
    assert.strictEqual(retried.status, 202)
    const [delivered] = await eventually(
      async () => (await server.send(`${webhookPath}/deliveries`, { key })).json.data,
      ([delivery]) => delivery.status === "delivered"
    )
    assert.deepInclude(delivered, { id: failed.id, attempt: 2, http_status: 200 })
  })

  it("an open stream does not hold up the end, and goes on where it was after a restart", async () => {
    const reader = await stream(changed)
    assert.strictEqual((await reader.next())?.event, "test.ping")
    assert.strictEqual(await server.stop(), 0)
    // It ends as a stream does that is over; a connection that is cut would throw.
    await reader.text()

    server = await ServerProcess.start(settings)
    const again = await stream(changed)
    const next = await again.next()
    assert.strictEqual(next?.event, "test.ping")
    again.close()
    const watch = await server.send(watchPath, { key })
    assert.deepInclude(watch.json.counts, { checks: 2, changes: 1, failures: 0 })
    assert.strictEqual(receiver.received.length, 5)
  })

  it("no key, no secret, no endpoint and no URL of a webhook was logged or measured", async () => {
    const [url = ""] = /http:\/\/[^ "]+\/metrics/.exec(server.log) ?? []
    const metrics = await (await fetch(url)).text()
    for (const name of ["assay_http_requests_total", "assay_watch_waiting_seconds"]) assert.include(metrics, name)
    for (const told of [key, secret, sandbox.url, "token=abc"]) {
      assert.notInclude(server.log, told)
      assert.notInclude(metrics, told)
    }
    for (const told of [sandbox.targets.approver.address, watchPath, webhookPath]) assert.notInclude(metrics, told)
  })
})

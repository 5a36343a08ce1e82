import { SharedSandbox } from "@assay/sandbox"
import { afterAll, assert, beforeAll, it } from "vitest"
import * as TestPostgres from "../../../storage-postgres/test/TestPostgres.js"
import { assay } from "../cli/TestShell.js"
import { forward, RpcProxy } from "./RpcProxy.js"
import { eventually, ServerProcess, wallet } from "./ServerProcess.js"

const database = await TestPostgres.databaseAtLanding()
afterAll(() => database?.drop())

const password = "hunter2hunter2"
const url = () => {
  const complete = new URL(database?.url ?? "")
  complete.password = password
  return complete.href
}

TestPostgres.describeAtLanding(database)("two servers on one Postgres database", () => {
  let sandbox: SharedSandbox.SharedSandbox
  let proxy: RpcProxy
  let one: ServerProcess
  let two: ServerProcess

  const settings = () => ({
    ASSAY_DATABASE: url(),
    ASSAY_SECRETS_KEY: "q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s=",
    ASSAY_RPC_URLS: `31337=${proxy.url}`,
    ASSAY_DAILY_QUOTA: "30",
    ASSAY_BURST_PER_MINUTE: "10000",
    ASSAY_CONCURRENCY_PER_KEY: "1000"
  })

  beforeAll(async () => {
    sandbox = await SharedSandbox.take()
    proxy = await RpcProxy.start(forward(sandbox.url))
    // Both find an empty database.
    const started = await Promise.all([ServerProcess.start(settings()), ServerProcess.start(settings())])
    one = started[0]
    two = started[1]
  })

  afterAll(async () => {
    await one?.kill()
    await two?.kill()
    proxy?.stop()
  })

  it("grant exactly the units of a key that is used at both at once, and count them alike", async () => {
    const key = await one.createKey()
    const answers = await Promise.all(
      Array.from({ length: 90 }, (_, index) => (index % 2 === 0 ? one : two).send(`wallet/${wallet(index)}`, { key }))
    )
    const granted = answers.filter(({ status }) => status === 200)
    assert.strictEqual(granted.length, 30)
    assert.deepStrictEqual(
      new Set(answers.filter(({ status }) => status !== 200).map(({ json }) => json.code)),
      new Set(["quota_exceeded"])
    )
    for (const server of [one, two]) {
      assert.deepInclude(await server.usage(key), { used: 30, reserved: 0, remaining: 0 })
      assert.strictEqual((await server.executions(key)).length, 30)
    }
  })

  it("run an analysis once that is requested at both, and answer both with it for one unit", async () => {
    const key = await two.createKey()
    let open = () => {}
    const opened = new Promise<void>((resolve) => {
      open = resolve
    })
    proxy.behaviour = async (body) => {
      await opened
      return forward(sandbox.url)(body)
    }
    const first = one.send(`wallet/${wallet(0)}`, { key })
    await eventually(
      () => two.usage(key),
      ({ reserved }) => reserved === 1
    )
    const second = two.send(`wallet/${wallet(0)}`, { key })
    // Time for it to arrive, on a machine of any speed.
    for (let count = 0; count < 20; count++) await two.usage(key)
    open()
    const answers = await Promise.all([first, second])
    assert.deepStrictEqual(
      answers.map(({ status }) => status),
      [200, 200]
    )
    assert.strictEqual(answers[0].json.execution_id, answers[1].json.execution_id)
    assert.deepStrictEqual(answers.map(({ headers }) => headers.get("units-charged")).toSorted(), ["0", "1"])
    assert.deepInclude(await one.usage(key), { used: 1, reserved: 0 })
  })

  it("give an idempotency key one execution, whichever of them gets the repeat, and refuse it for another request", async () => {
    const key = await one.createKey()
    const headers = { "idempotency-key": "order-1" }
    const first = await one.send(`wallet/${wallet(1)}`, { key, headers })
    const again = await two.send(`wallet/${wallet(1)}`, { key, headers })
    assert.deepStrictEqual([first.status, again.status], [200, 200])
    assert.strictEqual(again.json.execution_id, first.json.execution_id)
    assert.strictEqual((await two.send(`wallet/${wallet(2)}`, { key, headers })).status, 422)
    assert.deepInclude(await two.usage(key), { used: 1 })
  })

  it("refuse a key at once that was revoked at the other one", async () => {
    const key = await one.createKey()
    assert.strictEqual((await two.send("usage", { key })).status, 200)
    const { output } = await assay(["keys", "list", "--json", "--database", url()])
    const [newest] = output
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    assert.strictEqual((await assay(["keys", "revoke", newest.id, "--database", url()])).code, 0)
    for (const server of [one, two]) assert.strictEqual((await server.send("usage", { key })).status, 401)
  })

  it("go on when one of them is killed, and the password of the database is in no line that they wrote", async () => {
    const key = await two.createKey()
    await one.kill()
    assert.strictEqual((await two.send(`wallet/${wallet(3)}`, { key })).status, 200)
    assert.strictEqual(await two.stop(), 0)
    assert.include(two.log, "Listening on")
    for (const server of [one, two]) assert.notInclude(server.log, password)
  })

  it("say in one line, without the URL, why the database cannot be opened or a setting is missing", async () => {
    const refused = async (changes: Record<string, string>) =>
      ServerProcess.start({ ...settings(), ...changes }).then(
        () => "started",
        (error: Error) => error.message
      )
    const away = await refused({ ASSAY_DATABASE: `postgres://u:${password}@127.0.0.1:1/d` })
    assert.match(away, /ASSAY_DATABASE: The Postgres server cannot be reached \(ECONNREFUSED\)/)
    const other = new URL(url())
    other.pathname = "/absent"
    const absent = await refused({ ASSAY_DATABASE: other.href })
    assert.match(absent, /ASSAY_DATABASE: The Postgres server has no such database \(3D000\)/)
    const keyless = await refused({ ASSAY_SECRETS_KEY: "" })
    assert.match(keyless, /ASSAY_SECRETS_KEY: .*every process on this Postgres database/)
    for (const line of [away, absent, keyless]) assert.notInclude(line, password)
  })
})

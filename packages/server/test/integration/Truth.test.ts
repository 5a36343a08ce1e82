import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { CanonicalJson, RecipeSet } from "@assay/core"
import { SharedSandbox } from "@assay/sandbox"
import { encodeFunctionData, parseAbi } from "viem/utils"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../../test/Tier.js"
import { ServerProcess } from "./ServerProcess.js"

describe.runIf(Tier.landing)("the truth over HTTP", () => {
  let directory: string
  let sandbox: SharedSandbox.SharedSandbox
  let server: ServerProcess
  let key: string
  let settings: Record<string, string>

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "assay-integration-"))
    sandbox = await SharedSandbox.take()
    settings = { ASSAY_DATABASE: `sqlite:${join(directory, "truth.db")}`, ASSAY_RPC_URLS: `31337=${sandbox.url}` }
    server = await ServerProcess.start(settings)
    key = await server.createKey()
  })

  afterAll(async () => {
    await server?.kill()
    rmSync(directory, { recursive: true, force: true })
  })

  for (const name of ["honeypot", "approver", "diamond"] as const)
    it(`${name}: what is said of it is true, kept under its id, and not sent twice`, async () => {
      const { address, kind } = sandbox.targets[name]
      const answer = await server.send(`${kind}/${address}`, { key })
      assert.strictEqual(answer.status, 200, answer.text)
      assert.strictEqual(answer.headers.get("units-charged"), "1")
      assert.deepInclude(answer.json, { target: kind, address, units: 1, error: null })
      assert.strictEqual(answer.json.status, "complete", answer.text)
      assert.deepInclude(answer.json.chain, { id: 31_337 })
      assert.strictEqual(answer.json.block.hash, sandbox.head.hash)
      assert.strictEqual(answer.json.change_report.status, "baseline")

      // The truth goes further than the checks do.
      const { json: rules } = await server.send("evidence-rules")
      const claims = new Set(rules.data.map(({ id }: Record<string, string>) => id))
      const truths = sandbox.truth.filter(
        (truth) => truth.target === name && truth.kind === kind && claims.has(truth.evidence.split(":")[0])
      )
      assert.isAbove(truths.length, 0)
      const states = new Map(answer.json.evidence.map((item: Record<string, string>) => [item.id, item.state]))
      const said = truths.map(({ evidence, state }) => [evidence, states.get(evidence) ?? "absent", state] as const)
      assert.deepStrictEqual(
        said.filter(([, is, truth]) => is !== truth && is !== "unknown"),
        []
      )
      assert.isAbove(said.filter(([, is, truth]) => is === truth && is !== "unknown").length, 0)
      for (const item of answer.json.evidence) {
        assert.match(item.source_url, /^(?:https?:|eip155:31337:)/)
        assert.notInclude(item.source_url, sandbox.url)
      }
      assert.notInclude(answer.text, sandbox.url)

      const path = `executions/${answer.json.execution_id}`
      const kept = await server.send(path, { key })
      assert.deepStrictEqual(kept.json, answer.json)
      const etag = kept.headers.get("etag") ?? ""
      assert.strictEqual(etag, `"${answer.json.content_hash}"`)
      const saved = await server.send(path, { key, headers: { "if-none-match": etag } })
      assert.strictEqual(saved.status, 304)
      assert.strictEqual(saved.text, "")
      const other = await server.send(path, { key: await server.createKey() })
      assert.strictEqual(other.status, 404)
    })

  it("a result is small, and its evidence can be checked with what can be requested beside it", async () => {
    // A key of its own: the others count the units of theirs.
    const own = await server.createKey()
    const most = { plain: 32_000, usdc: 50_000, approver: 16_000 } as const
    for (const [name, bytes] of Object.entries(most)) {
      const { address, kind } = sandbox.targets[name as keyof typeof most]
      const light = await server.send(`${kind}/${address}`, { key: own })
      assert.strictEqual(light.json.status, "complete", light.text)
      assert.isAtMost(Buffer.byteLength(light.text), bytes, name)
      if (name === "plain") assert.isAtMost(gzipSync(light.text).length, 6_000)

      const path = `executions/${light.json.execution_id}`
      const full = await server.send(`${path}?include=recipes`, { key: own })
      const recipes = await server.send(`${path}/recipes`, { key: own })
      assert.isBelow(Buffer.byteLength(recipes.text), Buffer.byteLength(full.text) - bytes / 2, name)
      assert.deepStrictEqual(RecipeSet.recipesOf(recipes.json), full.json.recipes)
      const item = full.json.evidence.find(({ observation }: Record<string, unknown>) => observation !== null)
      const one = await server.send(`${path}/evidence/${item.id}`, { key: own })
      const { recipe, ...rest } = one.json
      assert.deepStrictEqual(rest, item)
      assert.strictEqual(CanonicalJson.hash(recipe.params), item.observation.params_hash)
    }
  })

  it("all of it is listed, newest first, and counted by kind", async () => {
    const list = await server.executions(key)
    assert.deepStrictEqual(
      list.map(({ address, status, target }) => [target, address, status]),
      (["diamond", "approver", "honeypot"] as const).map((name) => [
        sandbox.targets[name].kind,
        sandbox.targets[name].address,
        "complete"
      ])
    )
    const usage = await server.usage(key)
    assert.deepInclude(usage, { used: 3, reserved: 0, remaining: 47 })
    assert.deepStrictEqual(usage.by_kind, { token: 1, wallet: 1, contract: 1, watch: 0 })
  })

  it("an unchanged target is unchanged, also after a restart on the same database", async () => {
    const { address, kind } = sandbox.targets.honeypot
    const [first] = (await server.executions(key)).filter((stub) => stub.address === address)
    const second = await server.send(`${kind}/${address}`, { key })
    assert.strictEqual(second.json.change_report.status, "unchanged")
    assert.strictEqual(second.json.change_report.base.execution_id, first.execution_id)
    assert.strictEqual(second.json.content_hash, first.content_hash)

    assert.strictEqual(await server.stop(), 0)
    server = await ServerProcess.start(settings)
    const third = await server.send(`${kind}/${address}`, { key })
    assert.strictEqual(third.json.change_report.status, "unchanged")
    assert.strictEqual(third.json.change_report.base.execution_id, second.json.execution_id)
    assert.strictEqual(third.json.content_hash, first.content_hash)
    assert.deepInclude(await server.usage(key), { used: 5, reserved: 0, remaining: 45 })
  })

  it("what happened on the chain is the change that is reported, in JSON, Markdown and text", async () => {
    const { accounts, targets } = sandbox
    await sandbox.transact({
      from: accounts.approver,
      to: targets.plain.address,
      data: encodeFunctionData({
        abi: parseAbi(["function approve(address, uint256) returns (bool)"]),
        args: [accounts.spender, 0n]
      })
    })
    const base = (await server.executions(key)).find((stub) => stub.address === targets.approver.address)
    // The newest block is remembered for a second, but not beyond a restart.
    assert.strictEqual(await server.stop(), 0)
    server = await ServerProcess.start(settings)
    const head = await server.send(`wallet/${targets.approver.address}`, { key })
    assert.isAbove(head.json.block.number, sandbox.head.number)
    const path = `executions/${head.json.execution_id}/changes?base=${base.execution_id}`
    const json = await server.send(path, { key })
    assert.strictEqual(json.headers.get("content-type"), "application/json")
    assert.strictEqual(json.json.status, "changed", json.text)
    assert.strictEqual(json.json.base.execution_id, base.execution_id)
    assert.strictEqual(json.json.head.execution_id, head.json.execution_id)
    const revoked = json.json.changes.filter(({ id }: Record<string, string>) =>
      id?.toLowerCase().includes(targets.plain.address.toLowerCase())
    )
    assert.isAbove(revoked.length, 0, json.text)
    for (const change of revoked) assert.strictEqual(change.direction, "better", JSON.stringify(change))

    const text = await server.send(path, { key, headers: { accept: "text/plain" } })
    assert.strictEqual(text.headers.get("content-type"), "text/plain; charset=utf-8")
    assert.strictEqual(text.text, `${json.json.text}\n`)
    const markdown = await server.send(path, { key, headers: { accept: "text/markdown" } })
    assert.strictEqual(markdown.headers.get("content-type"), "text/markdown; charset=utf-8")
    for (const change of json.json.changes) assert.include(markdown.text, change.title)
    for (const answer of [json, text, markdown]) assert.isNull(answer.headers.get("units-charged"))
  })

  it("no key and no endpoint was logged", () => {
    for (const told of [key, key.slice(4, 36), sandbox.url]) assert.notInclude(server.log, told)
  })
})

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../../test/Tier.js"
import { assay } from "../cli/TestShell.js"
import { DatabaseFile } from "./DatabaseFile.js"
import { type Answer, ServerProcess } from "./ServerProcess.js"

describe.runIf(Tier.landing)("a server that takes invitations", () => {
  const directory = mkdtempSync(join(tmpdir(), "assay-invitations-"))
  const filename = join(directory, "assay.db")
  const settings = {
    ASSAY_DATABASE: `sqlite:${filename}`,
    // Nothing is analysed.
    ASSAY_RPC_URLS: "1=http://127.0.0.1:1",
    ASSAY_KEYS: "invite",
    ASSAY_PLANS: "team:500"
  }
  let server: ServerProcess

  beforeAll(async () => {
    server = await ServerProcess.start(settings)
  })
  afterAll(async () => {
    await server?.kill()
    rmSync(directory, { recursive: true, force: true })
  })

  const keys = (...args: ReadonlyArray<string>) => assay(["keys", ...args], { settings })
  const invite = async (uses: number): Promise<{ readonly id: string; readonly invitation: string }> =>
    JSON.parse((await keys("invite", "--plan", "team", "--uses", String(uses), "--json", "the team")).output)
  const redeem = (invitation: string | undefined, name?: string): Promise<Answer> =>
    server.send("keys", {
      method: "POST",
      headers: { "content-type": "application/json", ...(name === undefined ? {} : { "idempotency-key": name }) },
      body: JSON.stringify({ label: "invited", ...(invitation === undefined ? {} : { invitation }) })
    })
  const madeBy = async (id: string): Promise<{ readonly keys: number; readonly used: number }> => {
    const file = new DatabaseFile(filename)
    try {
      const [row] = await file.rows(`
        SELECT used, (SELECT count(*) FROM api_key WHERE invitation_id = invitation.id) AS keys
        FROM invitation WHERE id = '${id}'`)
      return { keys: Number(row.keys), used: Number(row.used) }
    } finally {
      await file.close()
    }
  }

  it("gives one key for one use to 12 requests at once, with its plan, and says the same to all others", async () => {
    const { id, invitation } = await invite(1)
    const answers = await Promise.all(Array.from({ length: 12 }, () => redeem(invitation)))
    const created = answers.filter(({ status }) => status === 201)
    assert.lengthOf(created, 1)
    assert.deepStrictEqual(await madeBy(id), { keys: 1, used: 1 })
    const self = await server.send("keys/self", { key: created[0]?.json.key })
    assert.deepInclude(self.json, { daily_quota: 500, plan: { name: "team", configured: true } })

    const over = await invite(1)
    await keys("end-invitation", over.id)
    const refused = [
      ...answers.filter(({ status }) => status !== 201),
      await redeem(over.invitation),
      await redeem(undefined),
      await redeem("something else"),
      await redeem(`asi_${"0".repeat(32)}`)
    ]
    const shown = refused.map(({ json, status }) => ({ ...json, request_id: "", instance: "", status }))
    assert.strictEqual(shown[0].code, "invitation_refused")
    for (const each of shown) assert.deepStrictEqual(each, shown[0])
    const shownToAll = await server.send("limits")
    assert.deepInclude(
      shownToAll.json.data.find(({ name }: { readonly name: string }) => name === "daily_quota_plan_team"),
      { value: 500, setting: "ASSAY_PLANS" }
    )
  })

  it("neither loses a use nor takes one without a key where it is killed, and a repeated request gets its key", async () => {
    const { id, invitation } = await invite(40)
    const names = Array.from({ length: 40 }, (_, index) => `request ${index}`)
    const first = names.map((name) => redeem(invitation, name))
    await Promise.race(first)
    await server.kill()
    const ends = await Promise.allSettled(first)
    const answered = ends.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []))
    const unanswered = names.filter((_, index) => ends[index]?.status === "rejected")
    const left = await madeBy(id)
    assert.strictEqual(left.keys, left.used)
    assert.isAtLeast(left.keys, answered.length)

    server = await ServerProcess.start(settings)
    for (const { json } of answered) assert.strictEqual((await server.send("keys/self", { key: json.key })).status, 200)
    // Whoever got no answer repeats the request; each of the 40 has one key then.
    const again = await Promise.all(unanswered.map((name) => redeem(invitation, name)))
    for (const { status, text } of again) assert.strictEqual(status, 201, text)
    for (const { json } of again) assert.strictEqual((await server.send("keys/self", { key: json.key })).status, 200)
    assert.deepStrictEqual(await madeBy(id), { keys: 40, used: 40 })
    assert.strictEqual((await redeem(invitation, "request 40")).status, 403)
  })

  it("follows the plan of a key at once, and says where a plan is not configured any more", async () => {
    const { invitation } = await invite(1)
    const { json } = await redeem(invitation)
    const { id } = (await server.send("keys/self", { key: json.key })).json
    assert.strictEqual((await server.usage(json.key)).daily_quota, 500)
    assert.match((await keys("plan", id, "desk")).errors, /ASSAY_PLANS has no plan desk; it has team/)
    const other = { settings: { ASSAY_DATABASE: settings.ASSAY_DATABASE } }
    await assay(["keys", "plan", id, "desk"], other)
    assert.strictEqual((await server.usage(json.key)).daily_quota, 50)
    const self = await server.send("keys/self", { key: json.key })
    assert.deepInclude(self.json, { daily_quota: 50, plan: { name: "desk", configured: false } })
    await keys("set-quota", id, "7")
    const own = await server.send("keys/self", { key: json.key })
    assert.deepInclude(own.json, { daily_quota: 7, plan: null })
  })
})

import { SharedSandbox } from "@assay/sandbox"
import {
  type Assay,
  AssayError,
  type CustomCheck,
  createAssay,
  type Eip1193Provider,
  type WatchEvent
} from "@assay/sdk"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

const rejection = (promise: Promise<unknown>): Promise<AssayError> =>
  promise.then(
    () => assert.fail("it was not rejected"),
    (error) => {
      assert.instanceOf(error, AssayError)
      return error
    }
  )

const thrown = (make: () => unknown): AssayError => {
  try {
    make()
  } catch (error) {
    assert.instanceOf(error, AssayError)
    return error
  }
  return assert.fail("nothing was thrown")
}

describe("an assay", () => {
  let sandbox: SharedSandbox.SharedSandbox
  let assay: Assay
  const local = () => ({ id: 31_337, endpoints: sandbox.url, addressBook: 1 })
  const sentences = {
    absent: "The address holds 100 units of the native coin or less",
    recommendation: "Look at where the coins came from"
  }
  const rich: CustomCheck = {
    ...sentences,
    id: "acme.rich",
    version: 1,
    targets: ["wallet", "token"],
    claim: "The address holds more than 100 units of the native coin",
    polarity: "neutral",
    severity: "info",
    dimension: "account",
    run: async ({ address }, chain) => {
      const { observation, value } = await chain.balance(address)
      return {
        state: value > 100n * 10n ** 18n ? "confirmed" : "refuted",
        value: { balance: value.toString() },
        detail: `it holds ${value} wei`,
        observation
      }
    }
  }
  const broken: CustomCheck = {
    ...rich,
    id: "acme.broken",
    run: () => {
      throw new Error("a bug of the embedder")
    }
  }

  beforeAll(async () => {
    sandbox = await SharedSandbox.take()
    assay = createAssay({ chains: { local: local() }, checks: [rich, broken] })
  })
  afterAll(() => assay.close())

  it("reports on an address in ten lines: its kind is guessed, its chain is the only one", async () => {
    const report = await assay.report(sandbox.targets.honeypot.address)
    assert.deepInclude(report, { target: "token", address: sandbox.targets.honeypot.address })
    assert.strictEqual(report.verdict.level, "critical")
    assert.isBelow(JSON.stringify(report).length, 3_073)
  })

  it("analyses with the checks of the embedder, each of which can fail only its own claim, and says how far it is", async () => {
    const seen: Array<number> = []
    const analysis = await assay.analyze(
      { address: sandbox.targets.plain.address, kind: "token", chain: 31_337 },
      { onProgress: ({ done }) => seen.push(done) }
    )
    const states = new Map(analysis.evidence.map(({ id, state }) => [id, state]))
    assert.strictEqual(states.get("acme.rich"), "refuted")
    assert.strictEqual(states.get("acme.broken"), "unknown")
    assert.strictEqual(states.get("trade.honeypot"), "refuted")
    const rules = await assay.rules()
    assert.strictEqual(seen.at(-1), rules.filter(({ targets }) => targets.includes("token")).length)
    assert.deepInclude(
      rules.find(({ id }) => id === "acme.rich"),
      sentences
    )
    assert.isTrue(rules.every(({ id, recommendation }) => recommendation !== null || id.startsWith("acme.")))
    assert.deepStrictEqual(
      seen,
      seen.map((_, place) => place + 1)
    )
    const verification = await assay.verify(JSON.parse(JSON.stringify(analysis)))
    assert.strictEqual(verification.items.find(({ id }) => id === "acme.rich")?.outcome, "agrees")
    const again = await assay.report(analysis, { previous: analysis })
    assert.deepStrictEqual(again.changes, [])
    const { status } = await assay.compare(analysis, analysis)
    assert.strictEqual(status, "unchanged")
  })

  it("settles each of several targets for itself, in the order given", async () => {
    const { honeypot, plain } = sandbox.targets
    const settled = await assay.analyzeMany([
      plain.address,
      "vitalik.eth",
      { address: honeypot.address, kind: "token" }
    ])
    assert.deepStrictEqual(
      settled.map((one) => (one.status === "fulfilled" ? one.value.facts.risk?.level : one.reason.code)),
      ["minimal", "bad_address", "critical"]
    )
  })

  it("reads targets of several chains each on its own, and a chain that is away costs its targets alone", async () => {
    const { honeypot, plain } = sandbox.targets
    // The same chain by another id, as a provider says it.
    const twin: Eip1193Provider = {
      request: async ({ method, params }: { readonly method: string; readonly params?: unknown }) => {
        if (method === "eth_chainId") return "0x7a6a"
        const answer = await fetch(sandbox.url, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
        })
        const { error, result } = (await answer.json()) as { readonly error?: object; readonly result?: unknown }
        if (error !== undefined) throw error
        return result
      }
    }
    await using own = createAssay({
      chains: { local: local(), twin: { id: 31_338, endpoints: twin, addressBook: 1 }, base: "http://127.0.0.1:1" }
    })
    const settled = await own.analyzeMany([
      { address: plain.address, chain: "twin" },
      { address: honeypot.address, chain: "base" },
      { address: honeypot.address, chain: 31_337 },
      { address: plain.address }
    ])
    assert.deepStrictEqual(
      settled.map((one) =>
        one.status === "fulfilled"
          ? [one.value.target.chain.name, one.value.target.address, one.value.facts.risk?.level]
          : one.reason.code
      ),
      [
        ["twin", plain.address, "minimal"],
        "endpoint_unreachable",
        ["local", honeypot.address, "critical"],
        "chain_missing"
      ]
    )
  })

  it("rejects with a code and a sentence, and ends with its signal", async () => {
    const { plain } = sandbox.targets
    const ofName = await rejection(assay.analyze("vitalik.eth"))
    assert.strictEqual(ofName.code, "bad_address")
    assert.match(ofName.message, /vitalik\.eth.*40 hex digits/)
    assert.strictEqual(
      (await rejection(assay.analyze({ address: plain.address, chain: "base" }))).code,
      "unsupported_chain"
    )
    assert.strictEqual((await rejection(assay.verify({} as never))).code, "invalid_document")
    const ended = await rejection(assay.analyze(plain.address, { signal: AbortSignal.abort("enough") }))
    assert.deepInclude(ended, { code: "aborted", cause: "enough" })
  })

  it("ends at its deadline: what was not decided is unknown, and where nothing was read it says so", async () => {
    const hanging = createAssay({
      chains: { local: local() },
      checks: [{ ...rich, id: "acme.hanging", run: () => new Promise(() => {}) }]
    })
    const { evidence, status } = await hanging.analyze(sandbox.targets.plain.address, { deadline: 12_000 })
    assert.strictEqual(status, "partial")
    const states = new Map(evidence.map(({ id, reason, state }) => [id, reason ?? state]))
    assert.strictEqual(states.get("acme.hanging"), "budget_exhausted")
    assert.strictEqual(states.get("trade.honeypot"), "refuted")
    await hanging.close()
    const silent: Eip1193Provider = { request: () => new Promise(() => {}) }
    await using mute = createAssay({ chains: { ethereum: silent } })
    for (const kind of ["token", undefined] as const) {
      const target = { address: sandbox.targets.plain.address, kind }
      assert.strictEqual((await rejection(mute.analyze(target, { deadline: 500 }))).code, "deadline_exceeded")
    }
  })

  it("diagnoses its endpoints", async () => {
    const { chain, endpoints } = await assay.diagnose()
    assert.deepStrictEqual(chain, { id: 31_337, name: "local" })
    assert.deepInclude(endpoints[0], { endpoint: 1, status: "answers" })
  })

  it("watches until the loop ends, and compares each check with the one before", async () => {
    const own = createAssay({ chains: { local: local() } })
    const events: Array<WatchEvent["status"]> = []
    for await (const event of own.watch(
      { address: sandbox.targets.approver.address, kind: "wallet" },
      { everySeconds: 1 }
    )) {
      events.push(event.status)
      if (events.length === 2) break
    }
    assert.deepStrictEqual(events, ["baseline", "unchanged"])
    const aborting = new AbortController()
    for await (const event of own.watch(sandbox.targets.approver.address, {
      everySeconds: 60,
      signal: aborting.signal
    })) {
      events.push(event.status)
      aborting.abort()
    }
    assert.strictEqual(events.length, 3)
    await own.close()
    assert.strictEqual((await rejection(own.report(sandbox.targets.plain.address))).code, "closed")
  })
})

describe("the options of an assay", () => {
  it("are refused at once, with what to do", () => {
    assert.strictEqual(thrown(() => createAssay({ chains: {} })).code, "invalid_option")
    const garbage = thrown(() => createAssay({ chains: { ethereum: "not a url" } }))
    assert.strictEqual(garbage.code, "endpoint_url_invalid")
    const unknown = thrown(() => createAssay({ chains: { sepolai: "https://rpc.example" } }))
    assert.strictEqual(unknown.code, "unsupported_chain")
    assert.match(unknown.message, /"sepolai".*give its id/)
  })
})

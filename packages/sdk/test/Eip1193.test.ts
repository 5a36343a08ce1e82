import { SharedSandbox } from "@assay/sandbox"
import { createAssay, type Eip1193Provider } from "@assay/sdk"
import { createPublicClient, http } from "viem"
import { assert, beforeAll, describe, it } from "vitest"

interface Call {
  readonly method: string
  readonly params?: ReadonlyArray<unknown>
}

describe("a provider in place of a URL", () => {
  let sandbox: SharedSandbox.SharedSandbox
  beforeAll(async () => {
    sandbox = await SharedSandbox.take()
  })

  const reported = async (provider: Eip1193Provider, target: "plain" | "honeypot") => {
    await using assay = createAssay({ chains: { local: { id: 31_337, endpoints: provider, addressBook: 1 } } })
    return await assay.analyze({ address: sandbox.targets[target].address, kind: "token" })
  }

  /** What a wallet's endpoint answers, in the words of the wallet. */
  const forward = async ({ method, params = [] }: Call): Promise<unknown> => {
    const response = await fetch(sandbox.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
    })
    const { error, result } = (await response.json()) as {
      readonly result?: unknown
      readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
    }
    if (error === undefined) return result
    throw Object.assign(new Error("Internal JSON-RPC error."), { code: -32603, data: { originalError: error } })
  }

  const refusing = (...methods: ReadonlyArray<string>) => {
    const sent: Array<string> = []
    const provider: Eip1193Provider = {
      request: async (call: Call) => {
        sent.push(call.method)
        if (methods.includes(call.method)) throw Object.assign(new Error("not supported"), { code: 4200 })
        return await forward(call)
      }
    }
    return { provider, sent }
  }

  it("gives the verdict that its URL gives, by a client of viem", async () => {
    await using assay = createAssay({ chains: { local: { id: 31_337, endpoints: sandbox.url, addressBook: 1 } } })
    const client = createPublicClient({ transport: http(sandbox.url) })
    for (const target of ["plain", "honeypot"] as const) {
      const byUrl = await assay.analyze({ address: sandbox.targets[target].address, kind: "token" })
      const byClient = await reported(client, target)
      assert.strictEqual(byClient.content_hash, byUrl.content_hash)
      assert.deepStrictEqual(
        byClient.evidence.map(({ id, state, value }) => ({ id, state, value })),
        byUrl.evidence.map(({ id, state, value }) => ({ id, state, value }))
      )
    }
  })

  it("costs what it refuses, with the reason, and keeps within the bound of calls", async () => {
    const { provider, sent } = refusing("eth_simulateV1", "eth_getLogs")
    const { evidence, facts } = await reported(provider, "plain")
    const lost = evidence.filter(({ state }) => state === "unknown")
    assert.includeMembers(
      lost.map(({ reason }) => reason),
      ["method_unsupported"]
    )
    assert.notInclude(["minimal", "low"], facts.risk?.level ?? "unknown")
    assert.isAtMost(sent.length, 600 + 40)
    const refused = sent.filter((method) => method === "eth_simulateV1").length
    assert.isBelow(refused, 10)
  })

  it("answers a revert as its endpoint does, in the words of a wallet and of ethers", async () => {
    const wallet = refusing()
    const ethers: Eip1193Provider = {
      send: (method, params) =>
        forward({ method, params }).catch(({ data }) => {
          const { originalError: error } = data
          throw Object.assign(new Error("execution reverted"), { code: "CALL_EXCEPTION", info: { error } })
        })
    }
    for (const provider of [wallet.provider, ethers]) {
      const { evidence } = await reported(provider, "honeypot")
      assert.strictEqual(evidence.find(({ id }) => id === "trade.honeypot")?.state, "confirmed")
    }
  })

  it("that is not connected to the chain fails with what to do", async () => {
    const away: Eip1193Provider = {
      request: async () => {
        throw Object.assign(new Error("disconnected"), { code: 4900 })
      }
    }
    const failed = await reported(away, "plain").catch((error: unknown) => error)
    assert.propertyVal(failed, "code", "endpoint_unreachable")
    const other: Eip1193Provider = { request: async ({ method }: Call) => (method === "eth_chainId" ? "0x1" : null) }
    assert.propertyVal(await reported(other, "plain").catch((error: unknown) => error), "code", "wrong_chain")
  })
})

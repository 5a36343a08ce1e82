import { gunzipSync } from "node:zlib"
import { Artifact, SharedSandbox } from "@assay/sandbox"
import { assert, describe, it } from "vitest"
import * as Tier from "../../../test/Tier.js"
import * as ManagerWorld from "../../core/test/facts/venue/ManagerWorld.js"
// @ts-expect-error: a script without types.
import * as untyped from "../scripts/CodesOnChain.mjs"

interface State {
  readonly accounts: Readonly<Record<string, { readonly code?: string }>>
}

const { unlisted } = untyped as {
  readonly unlisted: (
    state: State
  ) => ReadonlyArray<{ readonly hash: string; readonly accounts: ReadonlyArray<string> }>
}

const dump = async ({ rpc }: SharedSandbox.SharedSandbox): Promise<string> => {
  const packed = (await rpc.call("anvil_dumpState")) as string
  return gunzipSync(Buffer.from(packed.slice(2), "hex")).toString("utf8")
}

describe.runIf(Tier.landing)(Tier.title(Tier.landing, "the codes of the saved chain"), () => {
  it("are those of the packages in contracts.json and of the sandbox itself, each of them", async () => {
    assert.deepStrictEqual(unlisted(JSON.parse(await dump(await SharedSandbox.take()))), [])
  })

  it("are no code of Uniswap V4's core, of which the state has no piece either", async () => {
    const text = await dump(await SharedSandbox.take())
    const { deployedBytecode = "0x" } = Artifact.load("@uniswap/v4-core/out/PoolManager.sol/PoolManager.json")
    assert.isAbove(deployedBytecode.length, 40_000)
    const pieces = Array.from({ length: 20 }, (_, i) => deployedBytecode.slice(2 + i * 2_000, 2 + i * 2_000 + 200))
    for (const piece of pieces) assert.isFalse(text.includes(piece), piece)
  })

  it("are refused with one that no list has: a chain with V4's manager on it cannot be packed", async () => {
    const world = await ManagerWorld.manage(await SharedSandbox.take())
    const found = unlisted(JSON.parse(await dump(world.sandbox))).flatMap(({ accounts }) => accounts)
    assert.sameMembers(found, [world.manager.toLowerCase(), world.router.toLowerCase()])
    await SharedSandbox.take()
  })

  it("are refused where one byte of a listed code is another", async () => {
    const state = JSON.parse(await dump(await SharedSandbox.take())) as State
    const { accounts } = state
    const weth = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2"
    const code = accounts[weth]?.code ?? "0x"
    const changed = `${code.slice(0, 200)}${code[200] === "0" ? "1" : "0"}${code.slice(201)}`
    const found = unlisted({ ...state, accounts: { ...accounts, [weth]: { ...accounts[weth], code: changed } } })
    assert.deepStrictEqual(
      found.map(({ accounts: at }) => at),
      [[weth]]
    )
  })
})

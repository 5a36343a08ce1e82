// `npm run revokes`: sends every transaction that the reports of the sandbox's wallets print, by the printed line itself in a
// shell, and reads that the approval is in force before it and gone after it. It needs Foundry's `cast` on the path.
// https://getfoundry.sh/introduction/installation
import { spawnSync } from "node:child_process"
import { Analyzer, ChainAccess, Checks, Report } from "@assay/core"
import { Sandbox } from "@assay/sandbox"
import { NodeHttpClient } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { sandboxChain } from "./sandboxChain.mjs"

if (spawnSync("cast", ["--version"]).status !== 0) {
  console.error("cast was not found: install Foundry, or put its npm package @foundry-rs/cast on the path")
  process.exit(1)
}

const nobody = "0x00000000000000000000000000000000000f00d1"

const engine = Analyzer.layer(Checks.all).pipe(
  Layer.provide(ChainAccess.layerJsonRpc({ headTtl: "1 hour" })),
  Layer.provide(NodeHttpClient.layerUndici)
)

const sandbox = await Sandbox.start()
try {
  const wallets = Object.values(sandbox.targets).filter(({ kind }) => kind === "wallet")
  const analyses = await Effect.runPromise(
    Effect.provide(
      Effect.gen(function* () {
        const analyzer = yield* Analyzer.Analyzer
        return yield* Effect.forEach(wallets, ({ address, kind }) =>
          analyzer.analyze({ kind, address, chain: sandboxChain(sandbox) })
        )
      }),
      engine
    )
  )
  let sent = 0
  let invented = 0
  for (const [place, analysis] of analyses.entries()) {
    const { name } = wallets[place]
    const wallet = analysis.target.address
    const printed = Report.make(analysis).actions.flatMap(({ transaction }) => transaction ?? [])
    if (printed.length === 0) continue
    // The wallet's key is nobody's: the node signs for it, and it gets gas to pay with.
    await rpc("anvil_impersonateAccount", [wallet])
    await rpc("anvil_setBalance", [wallet, "0xde0b6b3a7640000"])
    for (const transaction of printed) {
      const before = await standing(wallet, transaction)
      const { status, stderr } = spawnSync("sh", ["-c", `${transaction.command} --unlocked`], {
        encoding: "utf8",
        env: { ...process.env, ETH_RPC_URL: sandbox.url }
      })
      const said = `${name}: ${transaction.command}`
      if (status !== 0) throw new Error(`${said}: ${stderr}`)
      const after = await standing(wallet, transaction)
      // A token that says the same of an account that never approved anything keeps no approvals, so none can be ended.
      const isInvented = (await standing(nobody, transaction)) !== 0n
      if (before === 0n || (after !== 0n && !isInvented)) throw new Error(`${said}: ${before} before, ${after} after`)
      if (isInvented) invented += 1
      else sent += 1
      console.log(`${isInvented ? "invented by the token: " : ""}${said}`)
    }
  }
  console.log(
    `${sent} printed lines sent with cast ended an approval that was in force; ${invented} were sent to tokens that invent their approvals`
  )
} finally {
  await sandbox.stop()
}

/** What an approval still allows, by the read of its standard. */
async function standing(wallet, transaction) {
  const [first, second] = transaction.arguments
  const [token, spender] = first.startsWith("[") ? first.slice(2, -2).split(",") : [transaction.to, first]
  const read = {
    "approve(address,uint256)": ["0xdd62ed3e", wallet, spender],
    "setApprovalForAll(address,bool)": ["0xe985e9c5", wallet, spender],
    "revokeOperator(address)": ["0xd95b6371", spender, wallet],
    "lockdown((address,address)[])": ["0x927da105", wallet, token, spender]
  }[transaction.function]
  if (read === undefined || (second !== undefined && !["0", "false"].includes(second)))
    throw new Error(`unknown revocation: ${transaction.command}`)
  const [selector, ...words] = read
  const data = `${selector}${words.map((word) => word.slice(2).toLowerCase().padStart(64, "0")).join("")}`
  const answer = await rpc("eth_call", [{ to: transaction.to, data }, "latest"])
  return BigInt(answer.slice(0, 66))
}

async function rpc(method, params) {
  const response = await fetch(sandbox.url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
  })
  const { error, result } = await response.json()
  if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`)
  return result
}

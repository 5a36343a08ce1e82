import { spawn } from "node:child_process"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { Effect, type Scope } from "effect"

/** A fresh local node, stopped with the scope: its URL and a way to call it that is not the engine's. */
export interface Anvil {
  readonly url: string
  readonly rpc: (method: string, params?: ReadonlyArray<unknown>) => Promise<unknown>
}

const binary = (): string => {
  const platform = process.platform === "win32" ? "win32" : process.platform
  const arch = process.arch === "x64" ? "amd64" : process.arch
  return (
    process.env.ANVIL_BIN ?? createRequire(import.meta.url).resolve(`@foundry-rs/anvil-${platform}-${arch}/bin/anvil`)
  )
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

const start = async (): Promise<Anvil & { readonly stop: () => Promise<void> }> => {
  const port = await freePort()
  const child = spawn(binary(), ["--port", String(port), "--quiet"], { stdio: "ignore" })
  const url = `http://127.0.0.1:${port}`
  const rpc: Anvil["rpc"] = async (method, params = []) => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
    })
    const { error, result } = (await response.json()) as { readonly error?: unknown; readonly result?: unknown }
    if (error !== undefined) throw new Error(JSON.stringify(error))
    return result
  }
  const stop = () =>
    new Promise<void>((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) return resolve()
      child.once("exit", () => resolve())
      child.kill("SIGKILL")
    })
  for (let attempt = 0; ; attempt++) {
    try {
      await rpc("eth_chainId")
      return { url, rpc, stop }
    } catch (cause) {
      if (attempt > 2_000 || child.exitCode !== null) {
        await stop()
        throw cause
      }
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
}

export const anvil: Effect.Effect<Anvil, never, Scope.Scope> = Effect.acquireRelease(
  Effect.promise(start),
  ({ stop }) => Effect.promise(stop)
)

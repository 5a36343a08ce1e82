import { Anvil } from "@assay/sandbox"
import { NodeHttpClient } from "@effect/platform-node"
import { Effect, Layer, ManagedRuntime, Option } from "effect"
import { type Abi, createPublicClient, encodeFunctionData, type Hex, http, keccak256, toHex } from "viem"
import { Abis, Addresses } from "viem/tempo"
import * as Analyzer from "../../../src/analysis/Analyzer.js"
import * as ChainAccess from "../../../src/chain/ChainAccess.js"
import * as Chains from "../../../src/chain/Chains.js"
import { layerHttpClient, Transport } from "../../../src/chain/rpc/Transport.js"
import type { ChainState } from "../../../src/chain/state/ChainState.js"
import * as Checks from "../../../src/checks/Checks.js"
import * as Address from "../../../src/domain/Address.js"
import type { Evidence } from "../../../src/domain/Evidence.js"

export const role = (name: string): Hex => keccak256(toHex(name))

export const admin: Hex = `0x${"00".repeat(32)}`

/** Those of powers and roles. */
export const checksOfPowers = Checks.all.filter(({ id }) =>
  [
    "token.native",
    "token.mintable",
    "token.pausable",
    "token.blacklistable",
    "token.whitelist-only",
    "token.balances-seizable"
  ].includes(id)
)

/** The methods of the calls in a request. */
const methodsOf = (body: string): ReadonlyArray<string> => {
  const sent: unknown = JSON.parse(body)
  return (Array.isArray(sent) ? sent : [sent]).map((call: { method: string }) => call.method)
}

/** A local chain, with a client that sends from its own accounts and the engine over the wire to it. */
export const start = async (network: "tempo" | "ethereum") => {
  const anvil = await Anvil.start({ arguments: network === "tempo" ? ["--network", "tempo", "--hardfork", "T3"] : [] })
  const client = createPublicClient({ transport: http(anvil.url, { batch: true }), pollingInterval: 10, cacheTime: 0 })
  const rpc = (method: string, params: ReadonlyArray<unknown>): Promise<unknown> =>
    client.request({ method, params } as never)
  const accounts = ((await rpc("eth_accounts", [])) as ReadonlyArray<Hex>).map(Address.checksum)

  const send = async (from: Hex, to: Hex, abi: Abi, functionName: string, args: ReadonlyArray<unknown> = []) => {
    const data = encodeFunctionData({ abi, functionName, args } as never)
    const hash = (await rpc("eth_sendTransaction", [{ from, to, data, gas: toHex(5_000_000) }])) as Hex
    const receipt = await client.waitForTransactionReceipt({ hash })
    if (receipt.status !== "success") throw new Error(`${functionName} was refused`)
    return receipt
  }
  const view = (address: Hex, abi: Abi, functionName: string, args: ReadonlyArray<unknown> = []): Promise<unknown> =>
    client.readContract({ address, abi, functionName, args })

  /** A token of the factory, with its address. */
  const create = async (from: Hex, symbol: string, quote: Hex = Addresses.pathUsd): Promise<Address.Address> => {
    const args = [`${symbol} dollar`, symbol, "USD", quote, from, keccak256(toHex(symbol))]
    const { logs } = await send(from, Addresses.tip20Factory, Abis.tip20Factory, "createToken", args)
    const made = logs.find(({ address }) => address.toLowerCase() === Addresses.tip20Factory)?.topics[1]
    return Address.fromWord(made ?? "0x")
  }

  let counted: Array<string> = []
  let isRefused: (method: string) => boolean = () => false
  const wire = Layer.provide(
    Layer.effect(
      Transport,
      Effect.map(Transport, ({ post }) => ({
        post: (url: string, body: string) => {
          const methods = methodsOf(body)
          counted.push(...methods)
          return methods.some(isRefused)
            ? Effect.succeed({
                status: 200,
                headers: {},
                body: JSON.stringify(
                  (JSON.parse(`[${body.replace(/^\[|\]$/g, "")}]`) as ReadonlyArray<{ id: number }>).map(({ id }) => ({
                    jsonrpc: "2.0",
                    id,
                    error: { code: -32601, message: "method not found" }
                  }))
                )
              })
            : post(url, body)
        }
      }))
    ),
    Layer.provide(layerHttpClient(), NodeHttpClient.layerUndici)
  )
  const access = Layer.provide(ChainAccess.layerTransport({ retryDelay: 0 }), wire)
  const engine = ManagedRuntime.make(Layer.merge(Layer.provide(Analyzer.layer(Checks.all), access), access))
  const chain = Chains.make({
    id: Number(await rpc("eth_chainId", []).then(String)),
    name: network,
    endpoints: [anvil.url],
    explorer: Option.none()
  })

  // The engine keeps the newest block for a while.
  const newest = async (): Promise<Option.Option<number>> => Option.some(Number(await rpc("eth_blockNumber", [])))

  /** Reads over the newest block. */
  const read = async <A, E>(effect: (state: ChainState["Type"]) => Effect.Effect<A, E>): Promise<A> => {
    const block = await newest()
    return engine.runPromise(
      Effect.scoped(
        Effect.flatMap(ChainAccess.ChainAccess, (access) =>
          Effect.flatMap(access.pin({ chain, block, maxCalls: 400 }), effect)
        )
      )
    )
  }

  const ofPowers = ManagedRuntime.make(Layer.provide(Analyzer.layer(checksOfPowers), access))

  /** What an analysis says of a token or a wallet, by check: all of them, or those of powers and roles. */
  const analyse = async (
    address: Address.Address,
    which: "all" | "powers" = "all",
    kind: "token" | "wallet" = "token"
  ): Promise<ReadonlyMap<string, Evidence>> => {
    const block = await newest()
    const { evidence } = await (which === "all" ? engine : ofPowers).runPromise(
      Effect.flatMap(Analyzer.Analyzer, (analyzer) => analyzer.analyze({ kind, address, chain, block }))
    )
    return new Map(evidence.map((item) => [item.id, item]))
  }

  return {
    accounts,
    chain,
    analyse,
    create,
    read,
    rpc,
    send,
    view,
    /** The calls that leave while something runs, by method. */
    counting: async <A>(
      run: () => Promise<A>
    ): Promise<{ readonly answer: A; readonly calls: ReadonlyArray<string> }> => {
      counted = []
      return { answer: await run(), calls: counted }
    },
    /** Refuses methods while something runs. */
    refusing: async <A>(refused: (method: string) => boolean, run: () => Promise<A>): Promise<A> => {
      isRefused = refused
      try {
        return await run()
      } finally {
        isRefused = () => false
      }
    },
    stop: async () => {
      await engine.dispose()
      await ofPowers.dispose()
      await anvil.stop()
    }
  }
}

export type TempoChain = Awaited<ReturnType<typeof start>>

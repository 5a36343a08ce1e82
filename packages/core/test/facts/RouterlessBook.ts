import type { SharedSandbox } from "@assay/sandbox"
import { Effect, Option } from "effect"
import * as ChainBook from "../../src/chain/ChainBook.js"
import { addresses, book } from "../EthereumBook.js"

/** What is known about Ethereum, but for the routers of its exchanges. */
const routerless: ChainBook.ChainBook = {
  ...book,
  addresses: Option.some({
    ...addresses,
    exchanges: addresses.exchanges.map((exchange) => {
      if (exchange.kind === "uniswap-v2") {
        const { router: _, ...others } = exchange
        return others
      }
      const { swapRouter: _, ...others } = exchange
      return others
    })
  })
}

/** With a book in which no router is known. */
export const provide = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, ChainBook.Loader, () => routerless)

/** Takes the code of Uniswap V3's first router away, which stands wherever its factory does. */
export const removeFirstRouter = ({ infrastructure, rpc }: SharedSandbox.SharedSandbox): Promise<unknown> =>
  rpc.call("anvil_setCode", [infrastructure.uniswapV3Router, "0x"])

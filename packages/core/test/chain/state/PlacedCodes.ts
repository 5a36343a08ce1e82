import { Effect } from "effect"
import * as Address from "../../../src/domain/Address.js"
import type { Hex } from "../../../src/domain/Hex.js"
import { anvil } from "../Anvil.js"
import { word } from "../FakeNode.js"

/** Where the code of an index is placed; nothing is where there is none. */
export const account = (index: number): Address.Address =>
  Address.checksum(`0x${"c0de".padEnd(36, "0")}${index.toString(16).padStart(4, "0")}`)

/** What is on the stack, as the answer. */
export const answerTop = "60005260206000f3"

/** A fresh node with these codes, each with a balance of seven more than its index, and with `kept` at a slot. */
export const placed = (codes: ReadonlyArray<Hex>, kept: { readonly slot: bigint; readonly value: bigint }) =>
  Effect.tap(anvil, ({ rpc }) =>
    Effect.promise(async () => {
      for (const [index, code] of codes.entries()) {
        await rpc("anvil_setCode", [account(index), code])
        await rpc("anvil_setBalance", [account(index), `0x${(index + 7).toString(16)}`])
        await rpc("anvil_setStorageAt", [account(index), word(kept.slot), word(kept.value)])
      }
    })
  )

import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { provenance } from "../../../src/checks/contract/Provenance.js"
import * as Address from "../../../src/domain/Address.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import type { Script } from "../../../src/testing/ScriptedChain.js"
import { pinned, Running, running } from "../../facts/SandboxState.js"
import * as Facts from "../Facts.js"
import { alice, bob, failing, inert, said, target, word } from "../Scripted.js"

const { topics } = Selectors
const transaction = word(77n)

/** A contract with code since a block, and its first event in the same one or later. */
const since = (
  block: number,
  options: { readonly event?: number; readonly created?: Address.Address | null } & Partial<Script> = {}
) => {
  const { created, event, ...rest } = options
  return {
    accounts: { [target]: { code: inert, since: block } },
    logs:
      event === undefined
        ? []
        : [
            {
              address: target,
              topics: [topics.OwnershipTransferred, word(0n), word(alice)],
              blockNumber: event + 1_000,
              transactionHash: word(78n)
            },
            {
              address: target,
              topics: [topics.OwnershipTransferred, word(0n), word(alice)],
              blockNumber: event,
              transactionHash: transaction
            }
          ],
    receipts:
      created === undefined
        ? {}
        : {
            [transaction]: {
              blockNumber: event ?? block,
              from: alice,
              to: created === target ? none : some(bob),
              created: created === target ? some(target) : none
            }
          },
    ...rest
  } satisfies Script
}

const none = Option.none<Address.Address>()
const some = Option.some<Address.Address>

describe("contract.provenance", () => {
  it.effect("comes from the receipt of the creating transaction, whether old state is kept or not", () =>
    Effect.gen(function* () {
      for (const archive of [true, false]) {
        const [item] = yield* said(
          provenance,
          "contract",
          since(500, { event: 500, created: target, capabilities: { archive } })
        )
        assert.strictEqual(item?.says, "confirmed")
        assert.deepStrictEqual(item?.value, {
          after_block: 499,
          by_block: 500,
          transaction,
          deployer: alice,
          creator: null,
          basis: "receipt"
        })
      }
    })
  )

  it.effect("comes from the code a block before its first event, with the signer and the creating contract", () =>
    Effect.gen(function* () {
      const [item] = yield* said(provenance, "contract", since(500, { event: 500, created: null }))
      assert.deepStrictEqual(item?.value, {
        after_block: 499,
        by_block: 500,
        transaction,
        deployer: alice,
        creator: bob,
        basis: "code"
      })
    })
  )

  it.effect("is searched for where the contract is older than its first event, or has none", () =>
    Effect.gen(function* () {
      for (const options of [{ event: 900_000 }, {}]) {
        const [item] = yield* said(provenance, "contract", since(123_456, options))
        const { after_block: after, basis, by_block: by, deployer } = item?.value ?? {}
        assert.strictEqual(basis, "code")
        assert.isNull(deployer)
        assert.isBelow(Number(after), 123_456)
        assert.isAtLeast(Number(by), 123_456)
      }
      // A second round where the first has begun at once.
      const [item] = yield* said(provenance, "contract", since(123_456))
      assert.isAtMost(Number(item?.value?.by_block) - Number(item?.value?.after_block), 1_000_000 / 60 / 30)
    })
  )

  it.effect("finds the same blocks when the chain has grown a little", () =>
    Effect.gen(function* () {
      const [now] = yield* said(provenance, "contract", since(123_456))
      const [later] = yield* said(provenance, "contract", since(123_456, { block: { number: 1_000_500 } }))
      assert.deepStrictEqual(later?.value, now?.value)
    })
  )

  it.effect("is a bound by the first event where old state is not kept, if it is the first", () =>
    Effect.gen(function* () {
      const forgetful = { capabilities: { archive: false } }
      const [bound] = yield* said(provenance, "contract", since(500, { event: 800, ...forgetful }))
      assert.deepInclude(bound?.value, { after_block: null, by_block: 800, basis: "events", deployer: null })
      const [newest] = yield* said(
        provenance,
        "contract",
        since(500, { event: 800, logsComplete: false, ...forgetful })
      )
      assert.strictEqual(newest?.says, "unknown: log_range_limited")
      const [silent] = yield* said(provenance, "contract", since(500, forgetful))
      assert.strictEqual(silent?.says, "unknown: archive_required")
    })
  )

  it.effect("is unknown where a read was lost, so that a fault never changes what it says", () =>
    Effect.gen(function* () {
      for (const method of ["eth_getLogs", "eth_getTransactionReceipt", "eth_getCode"]) {
        const [item] = yield* said(
          provenance,
          "contract",
          since(500, { event: 500, created: target, fault: failing(method) })
        )
        assert.strictEqual(item?.says, "unknown: rate_limited", method)
      }
    })
  )

  it.effect("does not apply to a wallet", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* said(provenance, "wallet", since(500)), [])
    })
  )

  layer(running)("on a chain", (it) => {
    it.effect("names the deployer of a token and the block it came with", () =>
      Effect.gen(function* () {
        const { accounts, chainId, rpc, targets } = yield* Running
        const address = Address.checksum(targets.plain.address)
        const [item] = yield* Facts.evaluate([provenance], {
          kind: "token",
          address,
          chain: { id: chainId, name: "sandbox" }
        }).pipe(Effect.provide(Layer.provideMerge(Facts.layer, pinned())))
        const value = item?.value as { deployer: string; by_block: number; basis: string }
        assert.strictEqual(value.deployer, accounts.deployer)
        assert.strictEqual(value.basis, "receipt")
        const codeAt = (block: number) =>
          Effect.promise(() => rpc.call("eth_getCode", [address, `0x${block.toString(16)}`]) as Promise<Hex>)
        assert.strictEqual(yield* codeAt(value.by_block - 1), "0x")
        assert.notStrictEqual(yield* codeAt(value.by_block), "0x")
      })
    )
  })
})

import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { type Abi, encodeAbiParameters, encodeFunctionData, type Hex, keccak256, parseAbi } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import * as Address from "../../../src/domain/Address.js"
import * as Announcements from "../../../src/facts/wallet/Announcements.js"
import * as Facts from "../../checks/Facts.js"
import { account } from "../../checks/Scripted.js"
import { compile } from "../Compiled.js"
import { pinned, Running, running } from "../SandboxState.js"

const compiled = { own: compile("Announcing.sol"), spray: compile("Allowing.sol") }
const spender = account("a")
const other = account("b")
const abi = parseAbi([
  "function approve(address spender, uint256 value)",
  "function drop(address[] owners, address spender) payable",
  "function spray(address owner, uint160 first, uint160 count)",
  "function permit(address owner, address spender, uint256 value, uint8 v, bytes32 r, bytes32 s)"
]) as Abi

layer(running, { excludeTestServices: true })("how a permission was announced", (it) => {
  const token = (code: Hex, digit: string) =>
    Effect.gen(function* () {
      const address = Address.checksum(`0x${digit.repeat(40)}`)
      const { rpc } = yield* Running
      yield* Effect.promise(() => rpc.call("anvil_setCode", [address, code]))
      return address
    })
  const sent = (
    from: Address.Address,
    to: Address.Address,
    functionName: string,
    args: ReadonlyArray<unknown>,
    value?: bigint
  ) =>
    Effect.gen(function* () {
      const { rpc, transact } = yield* Running
      yield* Effect.promise(() => rpc.call("anvil_impersonateAccount", [from]))
      yield* Effect.promise(() => rpc.call("anvil_setBalance", [from, "0xde0b6b3a7640000"]))
      const data = encodeFunctionData({ abi, functionName, args })
      yield* Effect.promise(() => transact({ from, to, data, ...(value === undefined ? {} : { value }) }))
    })
  const announced = (wallet: Address.Address, on: Address.Address, to: Address.Address = spender) =>
    Effect.flatMap(Announcements.Announcements, ({ of }) => of(wallet, { token: on, spender: to })).pipe(
      Effect.provide(Layer.provideMerge(Facts.layer, pinned()))
    )
  // Nobody else approves anything with it.
  const signer = privateKeyToAccount(keccak256("0xa55a"))
  const wallet = Address.checksum(signer.address)

  it.effect("is by the wallet where it sent the transaction, and not made up where it signed it for another", () =>
    Effect.gen(function* () {
      const { accounts } = yield* Running
      const relayer = Address.checksum(accounts.deployer)
      const signing = yield* token(compiled.own("Signing"), "e")
      const hash = keccak256(
        encodeAbiParameters(
          [{ type: "address" }, { type: "address" }, { type: "address" }, { type: "uint256" }, { type: "uint256" }],
          [signing, wallet, spender, 7n, 0n]
        )
      )
      const signature = yield* Effect.promise(() => signer.sign({ hash }))
      const [r, s, v] = [signature.slice(2, 66), signature.slice(66, 130), signature.slice(130)]
      yield* sent(relayer, signing, "permit", [wallet, spender, 7n, Number(`0x${v}`), `0x${r}`, `0x${s}`])
      assert.deepStrictEqual(
        yield* announced(wallet, signing),
        Option.some({ sender: Option.some(relayer), isMadeUp: false })
      )
      yield* sent(wallet, signing, "approve", [spender, 8n])
      assert.deepStrictEqual(
        yield* announced(wallet, signing),
        Option.some({ sender: Option.some(wallet), isMadeUp: false })
      )
      yield* sent(wallet, signing, "approve", [spender, 0n])
      assert.deepStrictEqual(yield* announced(wallet, signing), Option.none())
      assert.deepStrictEqual(yield* announced(wallet, signing, other), Option.none())
    })
  )

  it.effect("is made up where the same transaction gives one of any account, or the token one to everybody", () =>
    Effect.gen(function* () {
      const { accounts } = yield* Running
      const maker = Address.checksum(accounts.trader1)
      const inventing = yield* token(compiled.own("Inventing"), "d")
      yield* sent(maker, inventing, "drop", [[other, wallet], spender], 1n)
      assert.deepStrictEqual(
        yield* announced(wallet, inventing),
        Option.some({ sender: Option.some(maker), isMadeUp: true })
      )
      const insisting = yield* token(compiled.spray("Insisting"), "c")
      yield* sent(maker, insisting, "spray", [wallet, BigInt(spender), 1n])
      assert.deepStrictEqual(
        yield* announced(wallet, insisting),
        Option.some({ sender: Option.some(maker), isMadeUp: true })
      )
      // The newest are looked at, and only so many.
      yield* sent(maker, insisting, "spray", [wallet, 1n << 20n, 24n])
      const last = Address.checksum(`0x${((1n << 20n) + 23n).toString(16).padStart(40, "0")}`)
      assert.deepStrictEqual(
        yield* announced(wallet, insisting, last),
        Option.some({ sender: Option.some(maker), isMadeUp: true })
      )
      assert.deepStrictEqual(yield* announced(wallet, inventing), Option.none())
    })
  )
})

import { Artifact } from "@assay/sandbox"
import { Effect, Layer } from "effect"
import * as OxHex from "ox/Hex"
import type * as Check from "../../src/checks/Check.js"
import * as Address from "../../src/domain/Address.js"
import type { Evidence } from "../../src/domain/Evidence.js"
import type { Hex } from "../../src/domain/Hex.js"
import type { TargetKind } from "../../src/domain/Target.js"
import * as Selectors from "../../src/evm/bytecode/Selectors.js"
import * as Slots from "../../src/evm/bytecode/Slots.js"
import * as Getter from "../../src/facts/Getter.js"
import * as ScriptedChain from "../../src/testing/ScriptedChain.js"
import * as Facts from "./Facts.js"

const { functions, topics } = Selectors

/** An address that is easy to read in a failure. */
export const account = (digit: string): Address.Address => Address.checksum(`0x${digit.repeat(40)}`)

/** The address of the target. */
export const target = account("1")

/** An account with a key. */
export const alice = account("a")

/** Another one. */
export const bob = account("b")

/** Whom a getter names where nobody has the power. */
export const nobody = Address.zero

/** An account without code that has sent something. */
export const person: ScriptedChain.Account = { nonce: 1 }

/** Code of a contract that hands nothing on. */
export const inert: Hex = "0x60006000f3"

/** The least code that delegates every call to what a slot holds. */
export const delegating = (slot: Hex): Hex => `0x365f5f375f5f365f7f${slot.slice(2)}545af400`

/** The same, as Safe proxies begin: with a comparison of the first word of the call with masterCopy(). */
export const safeProxy: Hex = `0x7f${functions.masterCopy.slice(2).padEnd(64, "0")}5f351450365f5f375f5f365f5f545af400`

/** The implementation of a proxy. */
export const logic = account("2")

/** A transparent proxy with an admin. */
export const transparent = (admin: Hex, accounts: ScriptedChain.Script["accounts"] = {}): ScriptedChain.Script => ({
  accounts: {
    [target]: {
      code: delegating(Slots.implementation),
      storage: { [Slots.implementation]: word(logic), [Slots.admin]: word(admin) }
    },
    [logic]: { code: inert },
    [alice]: person,
    ...accounts
  }
})

/** Runtime code of one of the sandbox's contracts. */
export const own = (name: string): Hex => Artifact.own(name).deployedBytecode ?? "0x"

/** Runtime code of a contract of OpenZeppelin 5. */
export const openZeppelin = (name: string): Hex =>
  Artifact.load(`@openzeppelin/contracts/build/contracts/${name}.json`).deployedBytecode ?? "0x"

export const word = Getter.word

export const text = (value: string): Hex =>
  Getter.calldata("0x", [
    word(32n),
    word(BigInt(OxHex.size(OxHex.fromString(value)))),
    OxHex.padRight(OxHex.fromString(value), 32)
  ])

export const list = (addresses: ReadonlyArray<Address.Address>): Hex =>
  Getter.calldata("0x", [word(32n), word(BigInt(addresses.length)), ...addresses.map((each) => word(each))])

/** What an ERC-20 token answers. */
export const erc20: { readonly [selector: Hex]: ScriptedChain.Answer } = {
  [functions.name]: text("Juniper"),
  [functions.symbol]: text("JNP"),
  [functions.decimals]: word(18n),
  [functions.totalSupply]: word(1_000n),
  [functions.balanceOf]: word(0n),
  [functions.allowance]: word(0n)
}

/** A Safe of some owners. */
export const safe = (
  threshold: bigint,
  owners: ReadonlyArray<Address.Address>,
  options: { readonly modules?: ReadonlyArray<Address.Address>; readonly singleton?: Address.Address } = {}
): ScriptedChain.Account => ({
  code: safeProxy,
  // The Safe 1.4.1 singleton.
  storage: { [Slots.safeSingleton]: word(options.singleton ?? "0x41675C099F32341bf84BFc5382aF534df5C7461a") },
  calls: {
    [functions.version]: text("1.4.1"),
    [functions.getThreshold]: word(threshold),
    [functions.getOwners]: list(owners),
    [functions.nonce]: word(7n),
    [functions.getModulesPaginated]: Getter.calldata("0x", [
      word(64n),
      word(1n),
      word(BigInt(options.modules?.length ?? 0)),
      ...(options.modules ?? []).map((module) => word(module))
    ])
  }
})

export const approval = (token: Address.Address, spender: Address.Address, topic: Hex = topics.Approval) => ({
  address: token,
  topics: [topic, word(target), word(spender)]
})

/** What a check says of the target on a scripted chain. */
export const evidence = (
  check: Check.Any,
  kind: TargetKind,
  script: ScriptedChain.Script
): Effect.Effect<ReadonlyArray<Evidence>> =>
  Facts.evaluate([check], { kind, address: target, chain: { id: 1, name: "scripted" } }).pipe(
    Effect.provide(Layer.provideMerge(Facts.layer, ScriptedChain.layer(script)))
  ) as Effect.Effect<ReadonlyArray<Evidence>>

/** The one item that a check says, as state or reason, with its value. */
export const said = (check: Check.Any, kind: TargetKind, script: ScriptedChain.Script) =>
  Effect.map(evidence(check, kind, script), (items) =>
    items.map((item) => ({
      says: item.state === "unknown" ? `unknown: ${item.reason}` : item.state,
      value: item.value as Readonly<Record<string, unknown>> | null,
      severity: item.severity,
      controller: item.controller?.kind,
      id: item.id
    }))
  )

/** Makes every read of a method fail. */
export const failing =
  (method: string, data?: Hex): NonNullable<ScriptedChain.Script["fault"]> =>
  (read) =>
    read.method === method && (data === undefined || (read.data._tag === "Some" && read.data.value.startsWith(data)))
      ? "rate_limited"
      : undefined

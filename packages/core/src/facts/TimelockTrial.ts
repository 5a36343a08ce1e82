/** @internal */

import { Effect, Option } from "effect"
import * as AbiParameters from "ox/AbiParameters"
import * as OxHex from "ox/Hex"
import { ChainError } from "../chain/ChainError.js"
import type { ChainState } from "../chain/ChainState.js"
import * as Together from "../chain/Together.js"
import * as Address from "../domain/Address.js"
import type { Hex } from "../domain/Hex.js"
import * as Timestamp from "../domain/Timestamp.js"
import * as Selectors from "../evm/Selectors.js"
import * as Slots from "../evm/Slots.js"
import * as TimelockPattern from "../evm/TimelockPattern.js"
import * as Getter from "./Getter.js"
import * as Roles from "./Roles.js"

/**
 * Whether OpenZeppelin's timelock refuses an operation that nobody planned, of somebody who is let through: a stranger
 * is pretended to have the role. Fails where the endpoint cannot pretend.
 *
 * @since 0.1.0
 * @category constructors
 */
export const openZeppelin = (
  state: ChainState["Type"],
  timelock: Address.Address,
  roles: string
): Effect.Effect<boolean, ChainError> =>
  Effect.gen(function* () {
    const role = Roles.roleHash("EXECUTOR_ROLE")
    const slot = entryOf(roles, [role, Getter.word(stranger)])
    if (slot === undefined) return false
    const overrides = { [timelock]: { stateDiff: { [slot]: Getter.word(1n) } } }
    const asked = (data: Hex) => state.call({ to: timelock, from: stranger, data, overrides })
    const { executed, member } = yield* Together.all({
      executed: asked(
        encode(
          TimelockPattern.execute,
          ["address", "uint256", "bytes", "bytes32", "bytes32"],
          [stranger, 0n, "0x", Getter.word(0n), Getter.word(stranger)]
        )
      ),
      // Without the role it would refuse him anyhow, and that would show nothing.
      member: asked(Getter.calldata(Selectors.functions.hasRole, [role, Getter.word(stranger)]))
    })
    const isMember = member.value._tag === "Returned" && Option.getOrElse(Getter.bool(member.value.data), () => false)
    return isMember
      ? executed.value._tag === "Reverted"
      : yield* new ChainError({
          reason: "inconclusive",
          method: "eth_call",
          retryable: false,
          detail: "it could not be tried whether the timelock waits"
        })
  })

/**
 * The same of Compound's timelock, of those whom its code lets through.
 *
 * @since 0.1.0
 * @category constructors
 */
export const compound = (
  state: ChainState["Type"],
  timelock: Address.Address,
  callers: ReadonlyArray<Address.Address>
): Effect.Effect<boolean, ChainError> =>
  Effect.map(
    Together.forEach(callers, (from) =>
      state.call({
        to: timelock,
        from,
        data: encode(
          TimelockPattern.executeTransaction,
          ["address", "uint256", "string", "bytes", "uint256"],
          [stranger, 0n, "", "0x", BigInt(Math.floor(Timestamp.toMillis(state.block.timestamp) / 1000))]
        )
      })
    ),
    (tried) => tried.every(({ value }) => value._tag === "Reverted")
  )

// An account that nobody has, and that no one planned anything for.
const stranger = Address.checksum("0x5afe00000000000000000000000000000a55a700")

const encode = (selector: Hex, types: ReadonlyArray<string>, values: Array<unknown>): Hex =>
  OxHex.concat(
    selector,
    AbiParameters.encode(
      types.map((type) => ({ type })),
      values
    )
  )

/** The slot of an entry of nested mappings: `0x0[k]+1[k]` with its keys. */
const entryOf = (location: string, keys: ReadonlyArray<Hex>): Hex | undefined => {
  const parts = /^(0x[0-9a-f]+)((?:\[k\]|\+[0-9a-f]+)+)$/.exec(location)
  if (parts === null) return undefined
  const left = [...keys]
  let slot = Getter.word(parts[1] as Hex)
  for (const [step] of (parts[2] ?? "").matchAll(/\[k\]|\+[0-9a-f]+/g)) {
    if (step !== "[k]") slot = Slots.plus(slot, BigInt(`0x${step.slice(1)}`))
    else {
      const key = left.shift()
      if (key === undefined) return undefined
      slot = Slots.mapping(key, slot)
    }
  }
  return left.length === 0 ? slot : undefined
}

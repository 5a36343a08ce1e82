/** @internal */

import { Option } from "effect"
import * as OxHex from "ox/Hex"
import * as Address from "../../domain/Address.js"
import type * as Slices from "../../runtime/Slices.js"
import { Opcodes } from "../bytecode/Opcodes.js"
import { type Expression, Kind, unmasked } from "../expression/Expression.js"
import * as CodeModel from "../interpreter/CodeModel.js"
import * as Calls from "../summary/conditions/Calls.js"
import type { StorageFlow } from "../summary/StorageFlow.js"
import * as ProxyPattern from "./ProxyPattern.js"

/**
 * The beacon of a proxy that has it in its code and in no slot: every call is delegated to what one constant address answers
 * when its implementation is read. None where any delegated call goes elsewhere, or may.
 */
export function* of(
  model: CodeModel.CodeModel,
  { completeness, delegations, functions }: StorageFlow
): Slices.Slices<Option.Option<Address.Address>> {
  const isProxy =
    delegations.length > 0 &&
    !completeness.gaps.includes("control_flow") &&
    delegations.every(
      ({ selectors, target }) => target.kind === "unknown" && selectors.every((selector) => selector === "fallback")
    )
  if (!isProxy) return Option.none()
  const { run } = model.begin()
  const trace = yield* run({
    selector: undefined,
    known: new Set(functions.flatMap(({ selector }) => (selector === "fallback" ? [] : [BigInt(selector)]))),
    maxSteps: CodeModel.bounds.function.maxSteps
  })
  if (!trace.complete) return Option.none()
  const calls = trace.blocks.flatMap(({ events }) => events.flatMap((event) => (event.kind === "call" ? [event] : [])))
  const answered = new Map<Expression, bigint>()
  for (const call of calls) {
    const target = unmasked(call.target)
    if (call.opcode !== Opcodes.STATICCALL || target.op !== Kind.constant || !getters.has(Calls.nameOf(call) ?? 0n))
      continue
    const [answer] = call.answers
    if (answer !== undefined) answered.set(answer, target.value)
    answered.set(call.copied, target.value)
  }
  const beacons = calls.flatMap(({ opcode, target }) =>
    opcode === Opcodes.DELEGATECALL || opcode === Opcodes.CALLCODE ? [answered.get(unmasked(target))] : []
  )
  const [beacon] = beacons
  return beacon === undefined || beacon >> 160n !== 0n || beacons.some((other) => other !== beacon)
    ? Option.none()
    : Option.some(Address.checksum(OxHex.fromNumber(beacon, { size: 20 })))
}

const getters: ReadonlySet<bigint> = new Set(ProxyPattern.beaconGetters.map(BigInt))

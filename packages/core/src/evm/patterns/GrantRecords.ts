/** @internal */

import type { Hex } from "../../domain/Hex.js"
import type * as Slices from "../../runtime/Slices.js"
import * as Selectors from "../bytecode/Selectors.js"
import { isNumber, unmasked } from "../expression/Expression.js"
import { makeTracer } from "../expression/ValueSource.js"
import type { CodeModel } from "../interpreter/CodeModel.js"
import * as ControlFlowGraph from "../summary/conditions/ControlFlowGraph.js"
import type { StorageFlow } from "../summary/StorageFlow.js"

/**
 * The functions of a code that may grant a role without OpenZeppelin's event, so that the events do not name all
 * members, in slices. None where the code does not show where it keeps its roles.
 *
 * @see https://docs.openzeppelin.com/contracts/5.x/api/access#IAccessControl-RoleGranted-bytes32-address-address-
 */
export function* missing(model: CodeModel, flow: StorageFlow): Slices.Slices<ReadonlyArray<Hex>> {
  const shown = flow.functions.find(({ selector }) => selector === Selectors.functions.hasRole)?.returns ?? []
  const slots = new Set(shown.map(({ slot }) => slot).filter((slot) => slot.endsWith("[k][k]")))
  const found: Array<Hex> = []
  for (const { selector, writes } of flow.functions) {
    const isGiving = writes.some(
      ({ change, slot }) => slots.has(slot) && change.kind !== "clear" && change.kind !== "keep"
    )
    if (selector !== "fallback" && isGiving && (yield* isSilent(model, selector, slots))) found.push(selector)
  }
  return found
}

function* isSilent(model: CodeModel, selector: Hex, slots: ReadonlySet<string>): Slices.Slices<boolean> {
  const { locator, trace } = yield* model.run(selector)
  const tracer = makeTracer(locator, maxParts)
  const graph = ControlFlowGraph.make(trace)
  const starts = trace.blocks.slice(0, 1).map(({ index }) => index)
  const silent = trace.blocks.some(({ events, index, succeeds }) =>
    events.some((event) => {
      if (!succeeds || event.kind !== "store" || isNumber(event.value, 0n)) return false
      const given = (tracer.locate(event.slot) ?? []).filter(({ id }) => slots.has(id))
      return given.some(({ keys }) => {
        const telling = new Set(
          trace.blocks.flatMap((block) =>
            block.events.some(
              (log) =>
                log.kind === "log" &&
                isNumber(log.topics[0], roleGranted) &&
                keys.every((key, place) => {
                  const told = log.topics[place + 1]
                  return told !== undefined && unmasked(told) === unmasked(key)
                })
            )
              ? [block.index]
              : []
          )
        )
        if (telling.has(index)) return false
        const before = graph.after(starts, { blocks: telling })
        const after = graph.after([index], { blocks: telling })
        return before.has(index) && graph.ends.some((end) => after.has(end))
      })
    })
  )
  return silent || !trace.complete || tracer.exhausted()
}

const roleGranted = BigInt(Selectors.topics.RoleGranted)

const maxParts = 200_000

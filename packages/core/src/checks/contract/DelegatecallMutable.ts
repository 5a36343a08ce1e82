import { Effect, Option, Schema } from "effect"
import { ChainState } from "../../chain/state/ChainState.js"
import * as Controller from "../../domain/Controller.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import * as DelegatecallTarget from "../../evm/patterns/DelegatecallTarget.js"
import { CodeReadings } from "../../facts/code/CodeReadings.js"
import { Functions, type LogicContract } from "../../facts/code/Functions.js"
import * as PresentFlow from "../../facts/code/PresentFlow.js"
import { Proxy } from "../../facts/code/Proxy.js"
import * as Replacers from "../../facts/code/Replacers.js"
import { Control } from "../../facts/control/Control.js"
import * as Together from "../../runtime/Together.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

/**
 * Whether a function does a DELEGATECALL to an address that an account can choose: the address is an argument, or a
 * storage variable that a function can still set. The delegation of a proxy and of its upgrade function are the subject
 * of the proxy checks.
 *
 * - Confirmed: there is such a function. `controller` can choose the address.
 * - Refuted: every path of every function was followed, and each target is a constant, a variable that no function can
 *   still set, or one that no account is left to choose.
 */
export const delegatecallMutable = Check.make({
  id: "contract.delegatecall-mutable",
  code: "C-05",
  version: 1,
  targets: ["token", "contract"],
  claim: "A function does a DELEGATECALL to a target that can be chosen",
  polarity: "risk",
  severity: "high",
  dimension: "code",
  power: true,
  value: Schema.Struct({
    functions: Schema.Array(
      Schema.Struct({
        selector: Schema.String,
        from: Schema.Literal("argument", "storage"),
        slot: Schema.NullOr(Schema.String)
      })
    )
  }),
  run: (target) =>
    Effect.gen(function* () {
      const state = yield* ChainState
      const control = yield* Control
      const [{ observation, value: code }, { value: structure }] = yield* Together.all([
        (yield* Functions).of(target.address),
        (yield* Proxy).of(target.address)
      ])
      // The code of a Safe is published, and its owners sign what it delegates to.
      if (structure.kind === "safe") return Check.notApplicable
      const seen = { observation: observation(), verified: false }
      const found = code.logics.flatMap(({ address, flow }) =>
        // The delegation of the contract's own fallback is the subject of proxy.kind.
        DelegatecallTarget.of(flow).filter(({ selector }) => address !== target.address || selector !== "fallback")
      )
      const supplied = found.filter(({ target: { kind } }) => kind === "argument" || kind === "caller")
      const stored = found.flatMap((each) =>
        each.target.kind === "storage" ? [{ ...each, slot: each.target.slot }] : []
      )

      const spent =
        stored.length === 0 ? new Set<string>() : yield* PresentFlow.usedUp(state, target.address, code.logics)
      /** The guards of every write to a variable that can still run. */
      const setters = (slot: string) =>
        code.logics.flatMap((logic) =>
          logic.flow.functions
            .filter(({ selector }) => !spent.has(PresentFlow.keyOf(logic, selector)))
            .flatMap(({ writes }) => writes.filter((write) => write.slot === slot).map(({ guards }) => guards))
        )
      const mutable = stored
        .map((each) => ({ ...each, ways: setters(each.slot) }))
        .filter(({ ways }) => ways.length > 0)

      const choosing = yield* Together.forEach(
        [
          ...supplied.map(({ guards, selector }) => ({ selector, slot: null, ways: [guards] })),
          ...mutable.map(({ selector, slot, ways }) => ({ selector, slot, ways }))
        ],
        ({ selector, slot, ways }) =>
          Effect.map(
            Together.forEach(ways, (guards) => control.throughAll(target.address, guards)),
            (controllers) => ({
              function: { selector, from: slot === null ? ("argument" as const) : ("storage" as const), slot },
              living: controllers.filter(({ kind }) => kind !== "dead")
            })
          )
      )
      const functions = choosing
        .filter(({ living }) => living.length > 0)
        .map((each) => each.function)
        .sort((a, b) => (`${a.selector}${a.slot}` < `${b.selector}${b.slot}` ? -1 : 1))
      const controller = Option.getOrUndefined(Controller.weakest(choosing.flatMap(({ living }) => living)))
      if (controller !== undefined) {
        return [
          Check.confirmed({
            ...seen,
            value: {
              functions: [...new Map(functions.map((each) => [`${each.selector} ${each.slot}`, each])).values()]
            },
            controller,
            detail: Phrases.few(
              functions.map(
                ({ selector, slot }) =>
                  `${selector} takes the target from ${slot === null ? "its arguments" : `slot ${Phrases.brief(slot)}`}`
              )
            )
          })
        ]
      }
      // A guard with a dead holder may get a new holder.
      const contract = { state, flows: yield* CodeReadings, address: target.address, logics: code.logics }
      const again = yield* Replacers.among(
        contract,
        code.logics.flatMap((logic) =>
          logic.flow.functions.flatMap((flow) =>
            spent.has(PresentFlow.keyOf(logic, flow.selector))
              ? []
              : [
                  ...supplied
                    .filter(({ selector }) => flow.selector === selector)
                    .map(({ guards }) => ({ logic, flow, guards, shut: false })),
                  ...flow.writes
                    .filter((write) => mutable.some(({ slot }) => slot === write.slot))
                    .map(({ guards, shut }) => ({ logic, flow, guards, shut }))
                ]
          )
        )
      )
      if (again.accounts.length > 0 || !again.complete)
        return [
          Phrases.unknown(
            "inconclusive",
            "a function may appoint a new account that chooses the DELEGATECALL target",
            seen
          )
        ]
      if (found.some((each) => !supplied.includes(each) && !fixed.has(each.target.kind)))
        return [Phrases.unknown("inconclusive", "the source of a DELEGATECALL target was not determined", seen)]
      if (stored.length > 0 && code.logics.some(({ flow }) => Replacers.writesAnywhere(flow)))
        return [Phrases.unknown("inconclusive", "a write to a computed slot may set a DELEGATECALL target", seen)]
      // Where there is no code, a contract of the chain itself may answer.
      if (code.logics.length === 0 || code.logics.some((logic) => isOpen(logic) || Bytecode.isEmpty(logic.code)))
        return [Phrases.unknown("inconclusive", "not all paths of the code could be followed", seen)]
      return [
        Check.refuted({
          ...seen,
          value: { functions: [] },
          detail: found.length === 0 ? "no function does a DELEGATECALL" : "no account can choose a DELEGATECALL target"
        })
      ]
    })
})

/** Whether a path that was not followed may do a DELEGATECALL. */
const isOpen = ({ flow, reach }: LogicContract): boolean =>
  flow.completeness.gaps.includes("control_flow") && Bytecode.runsOtherCode(reach)

const fixed: ReadonlySet<string> = new Set(["constant", "storage"])

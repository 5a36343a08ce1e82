/** @internal */

import { Effect, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState } from "../../chain/state/ChainState.js"
import type { Address } from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import * as KnownRuntime from "../../evm/bytecode/KnownRuntime.js"
import type { StorageFlow } from "../../evm/summary/StorageFlow.js"
import * as Together from "../../runtime/Together.js"
import type { CodeReadings } from "../code/CodeReadings.js"
import type { Functions } from "../code/Functions.js"
import * as PresentFlow from "../code/PresentFlow.js"
import type { Proxy } from "../code/Proxy.js"
import * as CallAuthorities from "./CallAuthorities.js"

/** Reads all code that answers for an account with the given code. Used-up functions behind a proxy are left out. */
export const of = (
  facts: {
    readonly state: ChainState["Type"]
    readonly flows: CodeReadings["Type"]
    readonly functions: Functions["Type"]
    readonly proxy: Proxy["Type"]
  },
  account: Address,
  runtime: Hex
): Effect.Effect<CallAuthorities.Answering, ChainError> =>
  Effect.gen(function* () {
    const flow = yield* facts.flows.of(runtime)
    // Only code that delegates to other code can be a proxy, and reading its structure costs a level.
    const isPlain =
      !flow.completeness.gaps.includes("control_flow") && flow.delegations.every(({ target }) => target.kind === "self")
    if (isPlain) {
      const reach = Bytecode.reach(Bytecode.parse(runtime))
      return {
        logics: [{ address: account, code: runtime, reach, flow }],
        resolved: true,
        upgrade: { ...CallAuthorities.shut, anyone: false }
      }
    }
    const [{ value: resolved }, { value: structure }] = yield* Together.all([
      facts.functions.of(account),
      facts.proxy.of(account)
    ])
    const spent = yield* PresentFlow.usedUp(facts.state, account, resolved.logics)
    const { upgrade, upgrade_authority: authority } = structure
    return {
      logics: resolved.logics.map((logic) => ({
        ...logic,
        flow: {
          ...logic.flow,
          functions: logic.flow.functions.filter(({ selector }) => !spent.has(PresentFlow.keyOf(logic, selector)))
        }
      })),
      resolved: resolved.resolved,
      upgrade: {
        // An upgrade by the account itself adds no other account.
        principals:
          authority === null || authority === account ? [] : [{ power: "upgrader", account: authority, delay: 0 }],
        anyone: upgrade === "anyone",
        complete: upgrade === "none" || upgrade === "self" || upgrade === "anyone" || authority !== null,
        lost: Option.none()
      }
    }
  })

/** The flow of the only code of an account; none where several codes answer for it. */
export const onlyFlow = ({ logics }: CallAuthorities.Answering): Option.Option<StorageFlow> =>
  logics.length === 1 ? Option.fromNullable(logics[0]?.flow) : Option.none()

/** Whether all of it is a published build, which others read and tried. */
export const isPublished = ({ logics }: CallAuthorities.Answering): boolean =>
  logics.length > 0 && logics.every(({ code }) => Option.isSome(KnownRuntime.identify(code)))

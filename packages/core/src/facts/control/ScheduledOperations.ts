/** @internal */

import { Array as Arrays, Context, Effect, Layer, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/state/ChainState.js"
import type * as Reading from "../../chain/state/Reading.js"
import type { Address } from "../../domain/Address.js"
import type { UnknownReason } from "../../domain/Evidence.js"
import * as KnownRuntime from "../../evm/bytecode/KnownRuntime.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as TimelockPattern from "../../evm/patterns/TimelockPattern.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"
import { CodeReadings } from "../code/CodeReadings.js"
import { Functions } from "../code/Functions.js"
import { Proxy } from "../code/Proxy.js"
import * as Getter from "../Getter.js"
import * as AccessManagerCode from "./AccessManagerCode.js"
import * as AccessManagerOperations from "./AccessManagerOperations.js"
import * as CompoundOperations from "./CompoundOperations.js"
import * as EffectiveCode from "./EffectiveCode.js"
import * as OpenZeppelinOperations from "./OpenZeppelinOperations.js"
import type * as ScheduledOperation from "./ScheduledOperation.js"

/** The pending operations of timelocks and AccessManagers; of any other account there are none. */
export class ScheduledOperations extends Context.Tag("@assay/core/ScheduledOperations")<
  ScheduledOperations,
  {
    readonly of: (account: Address) => Effect.Effect<Reading.Reading<ScheduledOperation.PendingOperations>, ChainError>
  }
>() {}

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const sources = { state, proxy: yield* Proxy, functions: yield* Functions, flows: yield* CodeReadings }

  const read = Effect.fn("ScheduledOperations.of")(function* (account: Address) {
    const { observation, value: runtime } = yield* state.code(account)
    const answering = yield* EffectiveCode.of(sources, account, runtime)
    const flow = EffectiveCode.onlyFlow(answering)
    const [logic] = answering.logics
    const pattern = Option.flatMap(flow, TimelockPattern.of)
    if (Option.isSome(pattern) && logic !== undefined) {
      const isPublished = EffectiveCode.isPublished(answering)
      return yield* ofTimelock(state, sources.flows, { account, logic, pattern: pattern.value, isPublished })
    }
    if (Option.exists(flow, AccessManagerCode.isManager)) return yield* AccessManagerOperations.of(state, account)
    return { value: { pending: [], lost: Option.none() }, observation }
  })

  return ScheduledOperations.of({ of: yield* OncePerKey.make((account: Address) => account, read) })
})

/** Reads the events of an account in one level, and what it stores about each pending operation in a second one. */
export const layer: Layer.Layer<ScheduledOperations, never, ChainState | CodeReadings | Functions | Proxy> =
  Layer.scoped(ScheduledOperations, make)

const ofTimelock = (
  state: ChainState["Type"],
  flows: CodeReadings["Type"],
  timelock: ScheduledOperation.Timelock
): Effect.Effect<Reading.Reading<ScheduledOperation.PendingOperations>, ChainError> => {
  const operations = timelock.pattern.kind === "openzeppelin" ? OpenZeppelinOperations.of : CompoundOperations.of
  return Effect.map(
    Together.all([operations(state, flows, timelock), lostToFormerCode(state, timelock)]),
    ([{ observation, value }, lost]) => ({
      value: { ...value, lost: Option.orElse(value.lost, () => lost) },
      observation
    })
  )
}

/** Why an earlier implementation of a proxy may have scheduled operations without an event; none if all are published code. */
const lostToFormerCode = (
  state: ChainState["Type"],
  { account, logic }: ScheduledOperation.Timelock
): Effect.Effect<Option.Option<UnknownReason>, ChainError> =>
  Effect.gen(function* () {
    if (logic.address === account) return Option.none()
    const { value: scan } = yield* state.logs({ address: account, topics: [Selectors.topics.Upgraded] })
    if (!scan.complete) return Option.some("log_range_limited")
    const former = Arrays.dedupe(
      scan.logs.flatMap(({ topics: [, code] }) =>
        Option.toArray(Option.flatMap(Option.fromNullable(code), Getter.addressOfWord))
      )
    ).filter((code) => code !== logic.address)
    const codes = yield* Together.forEach(former, state.code)
    return codes.every(({ value }) => Option.isSome(KnownRuntime.identify(value)))
      ? Option.none()
      : Option.some("inconclusive")
  })

/** @internal */

import type { KeyState } from "@assay/core/domain/ApiKey"
import type { KeyId } from "@assay/core/domain/Id"
import type { KeyRecord, KeyStore } from "@assay/core/storage/KeyStore"
import { type Context, Effect, Option } from "effect"
import type { SeededRandom } from "./SeededRandom.js"
import { seen, type Witness } from "./Witness.js"

/** Who changes quotas, disables keys and enables them again, on the store itself. */
export interface Operator {
  readonly keys: (store: Context.Tag.Service<KeyStore>) => Context.Tag.Service<KeyStore>
  /** The daily quotas that a key has had since what is now under way may have begun. */
  readonly quotasOf: (keyId: KeyId) => ReadonlyArray<number>
  /** Every key may be used, and nothing changes any more. */
  readonly calm: () => void
}

export const make = ({ time, trace }: Witness, random: SeededRandom): Operator => {
  interface Setting {
    readonly state: KeyState
    readonly dailyQuota: number
  }
  const settings = new Map<KeyId, Setting>()
  const quotas = new Map<KeyId, Array<{ readonly quota: number; until: number }>>()
  let isCalm = false

  const now = (record: KeyRecord): KeyRecord => ({ ...record, ...settings.get(record.id) })
  const set = (id: KeyId, setting: Setting) => {
    settings.set(id, setting)
    const history = quotas.get(id) ?? []
    quotas.set(id, history)
    const last = history.at(-1)
    if (last !== undefined) last.until = time.now()
    history.push({ quota: setting.dailyQuota, until: Number.POSITIVE_INFINITY })
    trace.note("operator", `${id} is ${setting.state}, ${setting.dailyQuota} units a day`)
  }
  const act = () => {
    if (isCalm) return
    for (const [id, { dailyQuota, state }] of Array.from(settings)) {
      if (random.chance(0.4)) set(id, { state, dailyQuota: random.pick([0, 5, 20, 50, 200]) })
      if (random.chance(0.2)) set(id, { state: state === "active" ? "disabled" : "active", dailyQuota })
    }
    time.after(random.wait(12 * hour), act)
  }
  time.after(random.wait(12 * hour), act)

  return {
    keys: (store) => ({
      ...store,
      insert: (record) =>
        seen(store.insert(record), () => set(record.id, { state: record.state, dailyQuota: record.dailyQuota })),
      findByHash: (hash) => Effect.map(store.findByHash(hash), Option.map(now)),
      find: (id) => Effect.map(store.find(id), Option.map(now))
    }),
    quotasOf: (keyId) =>
      (quotas.get(keyId) ?? []).flatMap(({ quota, until }) => (until > time.now() - hour ? [quota] : [])),
    calm: () => {
      isCalm = true
      for (const [id, { dailyQuota }] of Array.from(settings)) set(id, { state: "active", dailyQuota })
    }
  }
}

const hour = 3_600_000

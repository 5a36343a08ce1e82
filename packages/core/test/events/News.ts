import { Option } from "effect"
import type { NewEvent } from "../../src/domain/Event.js"
import type { KeyId, WatchId } from "../../src/domain/Id.js"
import * as Id from "../../src/domain/Id.js"
import { fromMillis } from "../../src/domain/Timestamp.js"
import * as Documents from "../../src/testing/Documents.js"

export const mine: KeyId = "key_01ARZ3NDEKTSV4RRFFQ69G5FAV"
export const theirs: KeyId = "key_01BX5ZZKBKACTAV9WEVGEMMVRZ"
export const watch: WatchId = "wat_01ARZ3NDEKTSV4RRFFQ69G5FAV"

export const caller = (id: KeyId) => ({ id, dailyQuota: 50, source: Option.none<string>() })

const ofWatch = {
  watch_id: watch,
  label: "mine",
  target: "token" as const,
  address: Documents.address(0xa55a),
  chain: { id: 1, name: "ethereum" }
}

/** An event of the watch with a name of its own. */
export const recovered = (keyId: KeyId, name: string): NewEvent => ({
  id: Id.derive("evt", keyId, name),
  keyId,
  timestamp: fromMillis(0),
  body: {
    type: "watch.recovered",
    data: { ...ofWatch, execution_id: "exe_01ARZ3NDEKTSV4RRFFQ69G5FAV" }
  },
  only: null
})

export const exhausted = (keyId: KeyId, day: string): NewEvent => ({
  id: Id.derive("evt", keyId, day, "quota.exhausted"),
  keyId,
  timestamp: fromMillis(0),
  body: { type: "quota.exhausted", data: { day, daily_quota: 50, resets_at: fromMillis(86_400_000) } },
  only: null
})

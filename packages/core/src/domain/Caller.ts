import type { Option } from "effect"
import type { KeyId } from "./Id.js"

/**
 * Who is calling: what every metered use-case knows of the key. `source` is who created the key, for limits that count
 * all keys of one source together; none where sources are not tracked.
 *
 * @since 0.1.0
 * @category models
 */
export interface Caller {
  readonly id: KeyId
  readonly dailyQuota: number
  readonly source: Option.Option<string>
}

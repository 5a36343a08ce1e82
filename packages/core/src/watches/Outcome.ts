/** @internal */

import type { Option } from "effect"
import type { AnalysisResult } from "../domain/AnalysisResult.js"
import type { Timestamp } from "../domain/Timestamp.js"
import type { SuspensionReason } from "../domain/Watch.js"
import type { CheckError } from "../domain/WatchMemory.js"

/**
 * How a claimed run ended.
 *
 * - `Succeeded`: its execution is stored. `Failed`: it has no result. `began`: whether there is an execution to read.
 * - `OutOfQuota`: no unit; `dailyQuota` is set if the key's own quota is exhausted. `KeyUnusable`: the key is not
 *   valid.
 * - `Released`: this process stops; another one should claim the run again. `Abandoned`: its process did not come back,
 *   or stops and the run is not claimed again.
 */
export type Outcome =
  | { readonly _tag: "Succeeded"; readonly result: AnalysisResult }
  | { readonly _tag: "Failed"; readonly error: CheckError; readonly began: boolean }
  | { readonly _tag: "OutOfQuota"; readonly dailyQuota: Option.Option<number>; readonly resetsAt: Timestamp }
  | { readonly _tag: "KeyUnusable"; readonly reason: Exclude<SuspensionReason, "consecutive_failures"> }
  | { readonly _tag: "Released" }
  | { readonly _tag: "Abandoned"; readonly began: boolean }

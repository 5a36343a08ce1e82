/** @internal */

import type { Option } from "effect"
import type { AnalysisResult } from "../domain/AnalysisResult.js"
import type { Timestamp } from "../domain/Timestamp.js"
import type { SuspensionReason } from "../domain/Watch.js"
import type { CheckError } from "../domain/WatchMemory.js"

/**
 * What came of a claimed run.
 *
 * - `Succeeded`: its execution is stored. `Failed`: it gave no result. `began` says whether there is an execution to read.
 * - `OutOfQuota`: no unit; `dailyQuota` is there where it was the key's own that is used up. `KeyUnusable`: not allowed.
 * - `Released`: this process stops; another one is to claim it again. `Abandoned`: its process did not come back, or stops
 *   and nobody claims it again.
 *
 * @since 0.1.0
 * @category models
 */
export type Outcome =
  | { readonly _tag: "Succeeded"; readonly result: AnalysisResult }
  | { readonly _tag: "Failed"; readonly error: CheckError; readonly began: boolean }
  | { readonly _tag: "OutOfQuota"; readonly dailyQuota: Option.Option<number>; readonly resetsAt: Timestamp }
  | { readonly _tag: "KeyUnusable"; readonly reason: Exclude<SuspensionReason, "consecutive_failures"> }
  | { readonly _tag: "Released" }
  | { readonly _tag: "Abandoned"; readonly began: boolean }

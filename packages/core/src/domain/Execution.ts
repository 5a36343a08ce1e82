import { Schema } from "effect"
import { Address } from "./Address.js"
import { ExecutionStatus } from "./AnalysisResult.js"
import { ExecutionId, WatchId } from "./Id.js"
import { RiskLevel } from "./Risk.js"
import { ChainRef, TargetKind } from "./Target.js"
import { Timestamp } from "./Timestamp.js"

/**
 * An execution in a list.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ExecutionStub = Schema.Struct({
  execution_id: ExecutionId,
  target: TargetKind,
  address: Address,
  chain: ChainRef,
  status: ExecutionStatus,
  created_at: Timestamp,
  completed_at: Schema.NullOr(Timestamp),
  score: Schema.NullOr(Schema.Int),
  level: Schema.NullOr(RiskLevel),
  watch_id: Schema.NullOr(WatchId),
  content_hash: Schema.NullOr(Schema.String)
}).annotations({ identifier: "ExecutionStub" })

/**
 * @since 0.1.0
 * @category models
 */
export interface ExecutionStub extends Schema.Schema.Type<typeof ExecutionStub> {}

import { Schema } from "effect"

/**
 * The health of a part of the service: `off` where it does not run in this process, `unchecked` where it was not
 * checked.
 */
export const PartHealth = Schema.Literal("ok", "degraded", "failed", "off", "unchecked")

/**
 * Whether the process should get traffic. Upstream failures degrade it and do not fail it. `cause` says in one line why
 * it failed.
 */
export const Health = Schema.Struct({
  status: Schema.Literal("ok", "degraded", "failed"),
  checks: Schema.Struct({ storage: PartHealth, scheduler: PartHealth, upstream: PartHealth }),
  cause: Schema.NullOr(Schema.String)
}).annotations({ identifier: "Health" })

export interface Health extends Schema.Schema.Type<typeof Health> {}

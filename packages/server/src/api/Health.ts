import { Schema } from "effect"

/**
 * How a part of the service is: `off` where it does not run in this process, `unchecked` where nobody looked.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PartHealth = Schema.Literal("ok", "degraded", "failed", "off", "unchecked")

/**
 * Whether the process should get traffic. Upstream trouble degrades it and does not fail it.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Health = Schema.Struct({
  status: Schema.Literal("ok", "degraded", "failed"),
  checks: Schema.Struct({ storage: PartHealth, scheduler: PartHealth, upstream: PartHealth })
}).annotations({ identifier: "Health" })

/**
 * @since 0.1.0
 * @category models
 */
export interface Health extends Schema.Schema.Type<typeof Health> {}

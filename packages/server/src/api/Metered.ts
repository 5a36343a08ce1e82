import { Context } from "effect"

/**
 * The annotation of endpoints that spend a unit: they have the tighter burst limit and the `Units-Charged` header, and
 * HEAD never starts them.
 *
 * @since 0.1.0
 * @category models
 */
export class Metered extends Context.Reference<Metered>()("@assay/server/Metered", { defaultValue: () => false }) {}

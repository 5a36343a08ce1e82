import { Context } from "effect"

/**
 * The annotation of endpoints that spend a unit: they have the tighter burst limit and the `Units-Charged` header, and
 * HEAD never starts them.
 */
export class Metered extends Context.Reference<Metered>()("@assay/server/Metered", { defaultValue: () => false }) {}

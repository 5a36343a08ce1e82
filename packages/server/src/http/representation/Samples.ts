import type * as Target from "@assay/core/domain/Target"
import { Context } from "effect"

/**
 * Addresses to try the server on, by groups, for a chain that has them: the welcome page lists them. There are none unless
 * some are provided.
 *
 * @since 0.1.0
 * @category services
 */
export class Samples extends Context.Reference<Samples>()("@assay/server/Samples", {
  defaultValue: (): ReadonlyArray<Group> => []
}) {}

/**
 * Addresses that have something in common.
 *
 * @since 0.1.0
 * @category models
 */
export interface Group {
  readonly heading: string
  readonly targets: ReadonlyArray<{
    readonly kind: Target.TargetKind
    readonly address: string
    readonly name: string
    readonly description: string
  }>
}

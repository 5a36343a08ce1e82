/**
 * The version of this engine, as in `package.json`.
 *
 * @since 0.1.0
 * @category models
 */
export const engine = "0.1.0"

/**
 * The version of the rules by which evidence is judged and scored: year, month, and a count in it.
 *
 * @since 0.1.0
 * @category models
 */
export const ruleset = "2026.11.9"

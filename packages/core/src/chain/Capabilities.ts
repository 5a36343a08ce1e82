/**
 * What an endpoint was shown to do, by the result of a probe and never by an error code.
 *
 * @since 0.1.0
 * @category models
 */
export interface Capabilities {
  readonly batch: boolean
  readonly blockByHash: boolean
  readonly codeOverride: boolean
  readonly blockOverride: boolean
  readonly simulateV1: boolean
  readonly archive: boolean
}

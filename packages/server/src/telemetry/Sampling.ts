/** Whether a trace is recorded, decided by its id when it begins: by every process alike. */
export type Sampler = (traceId: string) => boolean

/** The samplers of `OTEL_TRACES_SAMPLER`. A trace has no parent outside, so `parentbased_` changes nothing. */
export const names = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio"
] as const

/**
 * Takes this share of all traces, by the last 7 bytes of their ids.
 *
 * @see https://opentelemetry.io/docs/specs/otel/trace/sdk/#traceidratiobased
 */
export const ratio = (share: number): Sampler => {
  if (share >= 1) return () => true
  const bound = share * 2 ** 56
  return (traceId) => Number.parseInt(traceId.slice(-14), 16) < bound
}

/** The sampler of a name, with the share of `OTEL_TRACES_SAMPLER_ARG`. */
export const of = (name: (typeof names)[number], share: number): Sampler => {
  if (name.endsWith("always_on")) return () => true
  return name.endsWith("always_off") ? () => false : ratio(share)
}

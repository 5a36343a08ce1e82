import { Option } from "effect"
import * as Near from "./Near.js"
import * as Settings from "./Settings.js"

/** The names of all settings; those of secrets also have a `_FILE` form. */
export const known: ReadonlySet<string> = new Set([
  ...Settings.all.flatMap(({ exposure, name }) => (exposure === "secret" ? [name, `${name}_FILE`] : [name])),
  // The API key that `assay mcp --url` sends to a server.
  "ASSAY_API_KEY",
  // What `assay watch --exec` passes to a program, which may be another `assay`.
  ...["ADDRESS", "KIND", "CHAIN", "BLOCK", "SEVERITY", "COUNT"].map((each) => `ASSAY_CHANGE_${each}`),
  // Of `npm start` in the repository.
  "ASSAY_CACHE"
])

/**
 * What an environment has besides settings: names that are a known one with at most two letters changed, added or left
 * out, with the one that was probably meant, and others.
 */
export interface Review {
  readonly misspelled: ReadonlyArray<{ readonly name: string; readonly meant: string }>
  readonly unknown: ReadonlyArray<string>
}

/**
 * Looks for settings that nothing reads among the names of an environment. Kubernetes adds variables for each service of
 * a namespace; those of one called `assay` begin as settings do, and are no settings.
 *
 * @see https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
 */
export const review = (names: ReadonlyArray<string>): Review => {
  const strange = names.filter((name) => name.startsWith("ASSAY_") && !known.has(name) && !ofKubernetes.test(name))
  const judged = strange.map((name) => ({ name, meant: Option.getOrUndefined(Near.nearest(name, known)) }))
  return {
    misspelled: judged.flatMap(({ meant, name }) => (meant === undefined ? [] : [{ name, meant }])),
    unknown: judged.filter(({ meant }) => meant === undefined).map(({ name }) => name)
  }
}

const ofKubernetes = /^ASSAY_(?:SERVICE_|PORT_|\w+_SERVICE_(?:HOST|PORT)|\w+_PORT_\d+_(?:TCP|UDP|SCTP))/

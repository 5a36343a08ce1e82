import { Option } from "effect"
import * as Near from "./Near.js"

/**
 * The names of all settings; those of secrets also have a `_FILE` form.
 *
 * @since 0.1.0
 * @category constructors
 */
export const known: ReadonlySet<string> = new Set([
  ...[
    "ASSAY_RPC_URLS",
    "ASSAY_RPC_HEADERS",
    "ASSAY_DATABASE",
    "ASSAY_SECRETS_KEY",
    "ASSAY_ETHERSCAN_API_KEY",
    "ASSAY_LLM_API_KEY"
  ].flatMap((name) => [name, `${name}_FILE`]),
  "ASSAY_RPC_LIMITS",
  "ASSAY_DATABASE_CONNECTIONS",
  "ASSAY_DEFAULT_CHAIN",
  "ASSAY_EXPLORER_URLS",
  "ASSAY_HOST",
  "ASSAY_PORT",
  "ASSAY_SHUTDOWN_SECONDS",
  "ASSAY_TRUSTED_PROXIES",
  "ASSAY_PROXY_HEADER",
  "ASSAY_ALLOWED_HOSTS",
  "ASSAY_DAILY_QUOTA",
  "ASSAY_BURST_PER_MINUTE",
  "ASSAY_PROCESSES",
  "ASSAY_CONCURRENCY_PER_KEY",
  "ASSAY_KEYS_PER_SOURCE_HOUR",
  "ASSAY_KEYS_PER_SOURCE_DAY",
  "ASSAY_UNITS_PER_SOURCE_DAY",
  "ASSAY_GLOBAL_DAILY_UNITS",
  "ASSAY_SCHEDULER",
  "ASSAY_SCHEDULED_CONCURRENCY",
  "ASSAY_SCHEDULED_PER_KEY",
  "ASSAY_WEBHOOKS_ALLOW_HTTP",
  "ASSAY_WEBHOOKS_ALLOW_PRIVATE",
  "ASSAY_WEBHOOKS_PORTS",
  "ASSAY_SOURCIFY_URL",
  "ASSAY_ETHERSCAN_URL",
  "ASSAY_SIGNATURES_URL",
  "ASSAY_FOURBYTE_URL",
  "ASSAY_GOPLUS_URL",
  "ASSAY_LLM_PROVIDER",
  "ASSAY_LLM_MODEL",
  "ASSAY_LLM_BASE_URL",
  "ASSAY_LLM_TIMEOUT_SECONDS",
  "ASSAY_LLM_MAX_OUTPUT_TOKENS",
  "ASSAY_LLM_TOKENS_PER_DAY",
  "ASSAY_METRICS_HOST",
  "ASSAY_METRICS_PORT",
  "ASSAY_LOG_LEVEL",
  "ASSAY_LOG_FORMAT",
  // The API key that `assay mcp --url` sends to a server.
  "ASSAY_API_KEY",
  // What `assay watch --exec` passes to a program, which may be another `assay`.
  "ASSAY_CHANGE_ADDRESS",
  "ASSAY_CHANGE_KIND",
  "ASSAY_CHANGE_CHAIN",
  "ASSAY_CHANGE_BLOCK",
  "ASSAY_CHANGE_SEVERITY",
  "ASSAY_CHANGE_COUNT",
  // Of `npm start` in the repository.
  "ASSAY_CACHE"
])

/**
 * What an environment has besides settings: names that are a known one with at most two letters changed, added or left
 * out, with the one that was probably meant, and others.
 *
 * @since 0.1.0
 * @category models
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
 * @since 0.1.0
 * @category combinators
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

/** @internal */

import type { UnknownReason } from "../domain/Evidence.js"

/** What a reader can do about an unknown item, by its reason: the last part of its detail. */
export const of: { readonly [Reason in UnknownReason]: string } = {
  rpc_error: "analyse again or use another endpoint",
  source_unavailable: "analyse again when the service answers",
  source_disabled: "enable the service in the configuration",
  rate_limited: "analyse again later",
  method_unsupported: "use an endpoint that supports the method",
  archive_required: "use an archive endpoint",
  log_range_limited: "use an endpoint that serves logs of all blocks",
  budget_exhausted: "analyse again with a larger call budget",
  inconclusive: "review it by hand",
  conflicting_sources: "compare the sources by hand",
  dependency_unknown: "analyse that account or block first",
  internal_error: "report it with the execution id"
}

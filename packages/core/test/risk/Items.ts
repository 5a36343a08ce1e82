import type { Evidence, EvidenceState } from "../../src/domain/Evidence.js"

/** An item of evidence about a risk, high unless it says otherwise. */
export const item = (id: string, state: EvidenceState, options: Partial<Evidence> = {}): Evidence => ({
  state,
  source_url: "https://explorer.example/address/0x0",
  id,
  version: 1,
  category: "exit",
  title: `claim of ${id}`,
  detail: "",
  value: null,
  polarity: "risk",
  severity: "high",
  verified: state !== "unknown",
  reason: state === "unknown" ? "rpc_error" : null,
  controller: null,
  observation: null,
  ...options
})

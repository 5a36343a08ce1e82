import * as Stopping from "../Stopping.js"

/** What decides approvals besides allowances, by power. */
const expected: Readonly<Record<string, Stopping.Stopping>> = {
  Open: {},
  ApprovesNothing: { pause: "unknown setLow" },
  ApprovesNothingWithoutBranch: { pause: "unknown setLow" },
  ApprovesByHash: { pause: "unknown setPart" },
  ApprovesByFreeBits: { pause: "unknown setLow" },
  ApprovesMembers: { blacklist: "unknown setTurned" },
  ApprovesByGuard: { pause: "unknown", blacklist: "unknown", whitelist: "unknown", limit: "unknown" },
  ApprovesByPermit: { pause: "unknown permit" },
  ApprovesOneAtATime: {},
  ApprovesAndCounts: {},
  ApprovesWithinFixed: {}
}

Stopping.describeStopping("ApprovalGate", "nobody stops an approval", expected)

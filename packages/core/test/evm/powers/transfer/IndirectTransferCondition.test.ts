import * as Stopping from "../Stopping.js"

/** What transfers depend on through another function, by power. */
const expected: Readonly<Record<string, Stopping.Stopping>> = {
  Open: {},
  InnerSwitch: { pause: "found setStopped" },
  HiddenSwitch: { pause: "found setStopped" },
  // Whoever sends what is another's is stopped, as every exchange is.
  HiddenSwitchSpared: { pause: "found setStopped" },
  HiddenStart: { pause: "found setStart" },
  HiddenList: { blacklist: "found setAway" },
  HiddenMembers: { whitelist: "found setMember" },
  HiddenFixed: {},
  ShownOnly: {},
  OtherBook: {},
  SelfHarmless: {},
  SelfAsking: { pause: "unknown", blacklist: "unknown", whitelist: "unknown", limit: "unknown" },
  SelfAskingList: { pause: "unknown", blacklist: "unknown", whitelist: "unknown", limit: "unknown" },
  SelfBalance: { pause: "unknown", blacklist: "unknown", whitelist: "unknown", limit: "unknown" }
}

Stopping.describeStopping("IndirectTransferCondition", "nobody stops a transfer", expected)

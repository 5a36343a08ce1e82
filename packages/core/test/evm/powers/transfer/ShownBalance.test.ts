import * as Stopping from "../Stopping.js"

/** What decides which balance an account is shown to have, by power. */
const expected: Readonly<Record<string, Stopping.Stopping>> = {
  ShowsPoolHalf: { pause: "unknown setLow" },
  ShowsPoolHalfWithoutBranch: { pause: "unknown setLow" },
  ShowsSomeHalf: { pause: "unknown setPart" },
  ShowsByIndex: {},
  ShowsPoolHalfAlways: {},
  OtherBook: {}
}

Stopping.describeStopping("ShownBalance", "nobody has a pool believe that it has less", expected)

import { powers } from "../tokens/Specimens.js"
import { immutable, type Truth, type TruthScene } from "./TruthScene.js"

/** The claims that make no sense of what is no token, besides `token.standard`. */
const aboutTokens = [
  "token.metadata-readable",
  "token.metadata-anomalous",
  "token.impersonates",
  "token.listed",
  "token.external-call-in-transfer",
  ...powers,
  "token.powers-survive-renouncing",
  "trade.route",
  "trade.buy-blocked",
  "trade.honeypot",
  "trade.sell-limited",
  "trade.taxed",
  "trade.holders-blocked",
  "trade.environment-dependent",
  "liquidity.pools",
  "liquidity.thin",
  "liquidity.burned",
  "liquidity.locked",
  "liquidity.lock-expiring",
  "liquidity.lock-ends",
  "liquidity.held-by-insiders",
  "liquidity.fake-pool",
  "holders.top",
  "holders.concentrated",
  "holders.insiders"
] as const

/** What privileged accounts can do to the holders of the tokens. */
export const of = ({ named, say }: TruthScene): ReadonlyArray<Truth> => [
  ...say(
    ["safeOwned", "timelockOwned", "usdc", "mintable", "hiddenMinter"],
    "token.mintable",
    "confirmed",
    "a live account can mint"
  ),
  ...say(
    [
      "plain",
      "clone",
      "deflating",
      "honeypot",
      "silentHoneypot",
      "sellTax90",
      "taxable",
      "pausable",
      "blacklist",
      "cooldown",
      "fakeUsdc",
      "hostileName"
    ],
    "token.mintable",
    "refuted",
    "only its constructor or initialiser mints"
  ),
  ...say(
    ["uups", "transparent", "beacon", "uninitialised"],
    "token.mintable",
    "unknown",
    "the present code does not mint; the next may, which only the upgrade's authority knows"
  ),
  ...say(
    ["safeOwned", "timelockOwned", "usdc", "pausable", "mintable"],
    "token.pausable",
    "confirmed",
    "a live account can pause"
  ),
  ...say(["plain", "clone", "deflating", "cooldown"], "token.pausable", "refuted", "nothing switches transfers off"),
  ...say(["blacklist", "usdc"], "token.blacklistable", "confirmed", "a live account can freeze others"),
  ...say(
    ["plain", "clone", "deflating", "pausable", "safeOwned", "timelockOwned", "mintable"],
    "token.blacklistable",
    "refuted",
    "no transfer looks at a list"
  ),
  ...say("taxable", "token.tax-changeable", "confirmed", "the owner sets any tax"),
  ...say(
    ["plain", "clone", "deflating", "pausable", "safeOwned", "timelockOwned", "mintable"],
    "token.tax-changeable",
    "refuted",
    "what a transfer takes is fixed in the code"
  ),
  ...say(
    ["plain", "clone", "deflating", "pausable", "safeOwned", "timelockOwned", "blacklist", "taxable"],
    "token.balances-seizable",
    "refuted",
    "only a holder and whom he allows move a balance"
  ),
  ...aboutTokens.flatMap((evidence) =>
    say([...named("contract"), ...named("wallet")], evidence, "absent", "the claim is about a token")
  ),
  ...say(
    ["uups", "transparent", "beacon", "clone", "uninitialised"],
    "token.external-call-in-transfer",
    "refuted",
    "a transfer touches only its own storage"
  ),
  ...say(immutable, "token.external-call-in-transfer", "refuted", "a transfer touches only its own storage"),
  ...["token.whitelist-only", "token.limits-changeable", "token.allowance-bypass"].flatMap((evidence) =>
    say(
      ["clone", "taxable", "pausable", "blacklist", "safeOwned", "timelockOwned", "hiddenMinter"],
      evidence,
      "refuted",
      "nobody can do that to a holder"
    )
  ),
  ...["token.whitelist-only", "token.limits-changeable", "token.allowance-bypass"].flatMap((evidence) =>
    say(["plain", "deflating", "mintable", "cooldown", "fakeUsdc", "hostileName"], evidence, "refuted", "no owner can")
  ),
  ...["token.tax-changeable", "token.blacklistable", "token.balances-seizable", "token.pausable"].flatMap((evidence) =>
    say(["hiddenMinter", "fakeUsdc", "hostileName"], evidence, "refuted", "nobody can do that to a holder")
  ),
  ...["token.tax-changeable", "token.blacklistable", "token.balances-seizable"].flatMap((evidence) =>
    say("cooldown", evidence, "refuted", "nobody can do that to a holder")
  ),
  ...say("mintable", "token.balances-seizable", "refuted", "only a holder and whom he allows move a balance"),
  ...say("taxable", "token.blacklistable", "refuted", "no transfer looks at a list")
]

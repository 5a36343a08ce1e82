import { addresses } from "../market/Infrastructure.js"
import type { Name } from "../Targets.js"
import type { Truth, TruthScene } from "./TruthScene.js"

/** What the wallets let others do, and which accounts are Safes. */
export const of = ({ accounts, address, basic, named, parts, say }: TruthScene): ReadonlyArray<Truth> => {
  const { spender } = accounts
  const { permit2, uniswapV2Router } = addresses
  return [
    ...say("approver", "allowance.outstanding", "confirmed", "it has approved spenders of four tokens"),
    ...say(
      "approver",
      `allowance.unlimited:${address("plain")}:${spender}`,
      "confirmed",
      "2^256 - 1 to an account with a key"
    ),
    ...say(
      "approver",
      `allowance.unlimited:${addresses.usdc}:${uniswapV2Router}`,
      "confirmed",
      "2^256 - 1 to the router"
    ),
    ...say("approver", `allowance.unlimited:${address("uups")}:${permit2}`, "confirmed", "2^256 - 1 to Permit2"),
    ...say(
      "approver",
      `allowance.unlimited:${address("mintable")}:${uniswapV2Router}`,
      "absent",
      "the allowance is of 100 tokens"
    ),
    ...say(
      "approver",
      `allowance.unlimited:${address("blacklist")}:${uniswapV2Router}`,
      "absent",
      "the allowance was taken back"
    ),
    ...say(
      "approver",
      `allowance.operator:${address("collectible")}:${spender}`,
      "confirmed",
      "setApprovalForAll(spender, true)"
    ),
    ...say(
      "approver",
      `allowance.permit2:${address("uups")}:${spender}`,
      "confirmed",
      "2^160 - 1 by Permit2, without an end"
    ),
    ...["allowance.outstanding", "allowance.unlimited", "allowance.operator", "allowance.permit2"].flatMap((evidence) =>
      say(["holder", "unused", "delegated"], evidence, "refuted", "it never approved anybody")
    ),
    ...[
      "allowance.outstanding",
      "allowance.unlimited",
      "allowance.operator",
      "allowance.permit2",
      "allowance.spender-risky"
    ].flatMap((evidence) =>
      say([...named("token"), ...named("contract")], evidence, "absent", "the claim is about a wallet")
    ),
    ...say("delegated", "wallet.delegated", "confirmed", "an EIP-7702 authorization set its code", {
      delegate: parts.batchDelegate
    }),
    ...say(["holder", "approver", "unused"], "wallet.delegated", "refuted", "it has no code"),
    ...say(["safe", "safeWallet"], "safe.setup", "confirmed", "a Safe 1.4.1, 2 of 3", {
      threshold: 2,
      owners: [accounts.safeOwner1, accounts.safeOwner2, accounts.safeOwner3]
    }),
    ...say("moduleSafe", "safe.setup", "confirmed", "a Safe 1.4.1, 2 of 2", {
      threshold: 2,
      owners: [accounts.safeOwner1, accounts.safeOwner3]
    }),
    ...say(["safe", "safeWallet", "moduleSafe"], "safe.unknown-singleton", "refuted", "a canonical singleton"),
    ...say("moduleSafe", "safe.modules", "confirmed", "KeeperModule is enabled", { modules: [parts.keeperModule] }),
    ...say(["safe", "safeWallet"], "safe.modules", "refuted", "no module is enabled"),
    ...say("safeWallet", "safe.single-signature", "refuted", "two of its three owners sign"),
    ...say(["safe", "moduleSafe"], "safe.single-signature", "absent", "the claim is about a wallet"),
    ...["safe.setup", "safe.modules", "safe.single-signature"].flatMap((evidence) =>
      say(
        ["diamond", "timelock", "destructible", "holder", "approver", "unused", "delegated"],
        evidence,
        "absent",
        "it is no Safe"
      )
    ),
    ...say("delegated", "wallet.activity", "confirmed", "its authorization counted as a transaction"),
    ...say("safeWallet", "wallet.delegated", "refuted", "its code is no delegation"),
    ...["allowance.outstanding", "allowance.unlimited", "allowance.operator", "allowance.permit2"].flatMap((evidence) =>
      say("safeWallet", evidence, "refuted", "it never approved anybody")
    ),
    ...["wallet.sanctioned", "wallet.frozen", "wallet.poisoned"].flatMap((evidence) =>
      say(basic("wallet"), evidence, "refuted", "nobody lists, froze or imitates anybody")
    ),
    ...say(["holder", "approver", "safeWallet"], "wallet.activity", "confirmed", "tokens moved from or to it"),
    ...say("unused", "wallet.activity", "refuted", "nothing ever moved"),
    ...say(["holder", "unused", "delegated", "safeWallet"], "allowance.spender-risky", "refuted", "it has no spenders"),
    ...["plain", "uups", "collectible"].flatMap((name) =>
      say(
        "approver",
        `allowance.spender-risky:${address(name as Name)}:${spender}`,
        "confirmed",
        "the spender is an account with a key"
      )
    ),
    ...say(["safe", "moduleSafe", "safeWallet"], "safe.guard", "refuted", "no guard, and the canonical handler"),
    ...say(["safe", "moduleSafe", "safeWallet"], "safe.weakened", "absent", "nothing says how it was before"),
    ...["safe.unknown-singleton", "safe.guard", "safe.weakened"].flatMap((evidence) =>
      say(
        ["diamond", "timelock", "destructible", "holder", "approver", "unused", "delegated"],
        evidence,
        "absent",
        "it is no Safe"
      )
    ),
    ...[
      "safe.setup",
      "safe.single-signature",
      "safe.unknown-singleton",
      "safe.modules",
      "safe.guard",
      "safe.weakened"
    ].flatMap((evidence) => say(named("token"), evidence, "absent", "the claim is about a wallet or a contract")),
    ...["wallet.delegated", "wallet.sanctioned", "wallet.frozen", "wallet.poisoned", "wallet.activity"].flatMap(
      (evidence) => say([...named("token"), ...named("contract")], evidence, "absent", "the claim is about a wallet")
    )
  ]
}

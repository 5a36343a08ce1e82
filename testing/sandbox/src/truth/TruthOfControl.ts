import { timelockDelay } from "../Basics.js"
import { nobody } from "../chain/Account.js"
import type { Name } from "../Targets.js"
import { immutable, type Truth, type TruthScene } from "./TruthScene.js"

/** Who has power over the targets. */
export const of = ({ accounts, address, named, say }: TruthScene): ReadonlyArray<Truth> => {
  const { issuer } = accounts
  const ownerless = ["plain", "clone", "deflating", "mintable", "cooldown", "fakeUsdc", "hostileName"] as const
  const owners = ["safeOwned", "timelockOwned", "taxable", "pausable", "blacklist"] as const
  const owned = (name: Name, owner: string, kind: string): ReadonlyArray<Truth> => [
    ...say(name, "control.owner", "confirmed", "owner() answers it", { owner }),
    ...say(name, "control.controllers", "confirmed", `the owner is of the kind ${kind}`),
    ...say(name, "control.renounced", "refuted", "the owner is alive")
  ]
  return [
    ...owned("safeOwned", address("safe"), "safe"),
    ...owned("timelockOwned", address("timelock"), "timelock"),
    ...(
      ["uups", "uninitialised", "honeypot", "silentHoneypot", "sellTax90", "taxable", "pausable", "blacklist"] as const
    ).flatMap((name) => owned(name, issuer, "eoa")),
    ...owned("usdc", accounts.usdcOwner, "eoa"),
    ...owned("diamond", accounts.diamondOwner, "eoa").filter(({ evidence }) => evidence !== "control.renounced"),
    ...say(
      ["plain", "transparent", "beacon", "clone", "deflating", "mintable", "cooldown", "fakeUsdc", "hostileName"],
      "control.owner",
      "refuted",
      "it has no getter of an owner"
    ),
    ...say(
      ["plain", "clone", "deflating", "cooldown", "fakeUsdc", "hostileName"],
      "control.renounced",
      "absent",
      "there never was an owner to renounce"
    ),
    ...say("hiddenMinter", "control.renounced", "confirmed", "owner() is the zero address"),
    ...say("hiddenMinter", "control.hidden", "confirmed", "an address in a private slot still mints"),
    ...say("mintable", "control.roles", "confirmed", "the deployer has all three roles"),
    ...say("timelock", "control.executes-decisions", "confirmed", "it executes what the Safe scheduled", {
      by: "schedule"
    }),
    ...say("timelock", "control.single-key", "refuted", "two of three schedule, and it calls only itself beside"),
    ...say(
      [...named("token"), "safe", "moduleSafe", "diamond", "destructible"],
      "control.executes-decisions",
      "absent",
      "it is neither a governor nor a timelock"
    ),
    ...say("timelock", "control.roles", "confirmed", "the Safe proposes, cancels and executes"),
    ...say(
      [
        "uups",
        "uninitialised",
        "transparent",
        "beacon",
        "usdc",
        "pausable",
        "taxable",
        "blacklist",
        "mintable",
        "hiddenMinter",
        "diamond"
      ],
      "control.single-key",
      "confirmed",
      "one account with a key holds the power alone"
    ),
    ...say(
      ["plain", "clone", "deflating", "cooldown", "fakeUsdc", "hostileName"],
      "control.single-key",
      "refuted",
      "there is no power to hold"
    ),
    ...say("safeOwned", "control.single-key", "refuted", "every power is behind the Safe"),
    ...say("timelockOwned", "control.single-key", "refuted", "every power is behind the timelock"),
    ...say("timelockOwned", "control.timelocked", "confirmed", "the owner is a timelock of seven days", {
      delay_seconds: timelockDelay
    }),
    ...say("hiddenMinter", "control.owner", "confirmed", "owner() answers the zero address", {
      owner: nobody
    }),
    ...say(
      ["collectible", "timelock", "destructible", "safe", "moduleSafe"],
      "control.owner",
      "refuted",
      "it has no getter of an owner"
    ),
    ...say(
      ["transparent", "beacon", "hiddenMinter", "mintable", "timelock"],
      "control.controllers",
      "confirmed",
      "somebody alive has power over it"
    ),
    ...say(
      ["plain", "clone", "deflating", "cooldown", "fakeUsdc", "hostileName"],
      "control.controllers",
      "refuted",
      "nobody has any power over it"
    ),
    ...say(["honeypot", "silentHoneypot", "sellTax90"], "control.single-key", "confirmed", "the owner is one key"),
    ...say(
      ["honeypot", "silentHoneypot", "sellTax90", "uups", "uninitialised", "diamond"],
      "control.reclaimable",
      "refuted",
      "nobody but the owner names the next"
    ),
    ...say(
      ["uups", "uninitialised", "transparent", "beacon", "diamond"],
      "control.roles",
      "refuted",
      "it has no roles"
    ),
    ...say(
      [...immutable.filter((name) => name !== "mintable"), "clone", "collectible", "destructible"],
      "control.roles",
      "refuted",
      "it knows no roles"
    ),
    ...say([...owners, "hiddenMinter"], "control.reclaimable", "refuted", "nobody but the owner names the next"),
    ...say(ownerless, "control.reclaimable", "absent", "there never was an owner"),
    ...say([...owners, ...ownerless], "control.hidden", "absent", "no ownership was given up"),
    ...say([...owners, ...ownerless], "token.powers-survive-renouncing", "absent", "no ownership was given up"),
    ...say("hiddenMinter", "token.powers-survive-renouncing", "confirmed", "minting does"),
    ...say("destructible", "control.single-key", "confirmed", "the keeper alone ends it and takes what it holds"),
    ...say("moduleSafe", "control.single-key", "confirmed", "the keeper of its module needs no owner")
  ]
}

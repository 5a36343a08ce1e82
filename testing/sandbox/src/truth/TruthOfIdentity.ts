import { addresses } from "../market/Infrastructure.js"
import type { Name } from "../Targets.js"
import { immutable, pooled, type Truth, type TruthScene, unpooled } from "./TruthScene.js"

/** What the targets are: their accounts, their code and who may replace it, and what they say of themselves. */
export const of = ({ accounts, basic, named, parts, say, targets }: TruthScene): ReadonlyArray<Truth> => {
  const { usdcImplementation } = addresses
  const proxies = ["uups", "transparent", "beacon", "usdc", "uninitialised", "diamond"] as const
  const proxy = (name: Name, kind: string, implementation: string): ReadonlyArray<Truth> =>
    say(name, "proxy.kind", "confirmed", "it was deployed as one", { kind, implementations: [implementation] })
  return [
    ...say([...named("token"), ...named("contract")], "address.kind", "confirmed", "it has code", {
      kind: "contract"
    }),
    ...say("safeWallet", "address.kind", "confirmed", "a Safe has code", { kind: "contract" }),
    ...say(["holder", "approver"], "address.kind", "confirmed", "it has sent transactions and has no code", {
      kind: "eoa"
    }),
    ...say("delegated", "address.kind", "confirmed", "its code is 0xef0100 and an address", {
      kind: "delegated_eoa",
      delegate: parts.batchDelegate
    }),
    ...say("unused", "address.kind", "confirmed", "no code, no nonce, no balance", { kind: "empty" }),
    ...say([...pooled, ...unpooled], "token.standard", "confirmed", "it behaves as an ERC-20", { standard: "erc20" }),
    ...say("collectible", "token.standard", "confirmed", "it declares and implements ERC-721", { standard: "erc721" }),
    ...say(
      [...named("contract"), ...named("wallet")],
      "token.standard",
      "absent",
      "the claim is about what was given as a token"
    ),
    ...say([...pooled, ...unpooled], "token.metadata-readable", "confirmed", "it has all four getters"),
    ...say("hostileName", "token.metadata-anomalous", "confirmed", "1000 characters, with control and bidi ones"),
    ...say(["plain", "usdc", "pausable"], "token.metadata-anomalous", "refuted", "a short name in plain letters"),
    ...say("fakeUsdc", "token.impersonates", "confirmed", "the name and symbol of USDC at another address"),
    ...say("usdc", "token.impersonates", "refuted", "it is the listed address itself"),
    ...say(
      pooled.filter((name) => name !== "usdc"),
      "token.impersonates",
      "refuted",
      "no listed token has its name or symbol"
    ),
    ...say("usdc", "token.listed", "confirmed", "its address is on the list of Ethereum mainnet"),
    ...say(["plain", "fakeUsdc", "honeypot"], "token.listed", "refuted", "its address is on no list"),
    ...say("destructible", "contract.selfdestruct-reachable", "confirmed", "end() reaches SELFDESTRUCT"),
    ...say(
      [...immutable, "clone", "timelock"],
      "contract.selfdestruct-reachable",
      "refuted",
      "its code has no SELFDESTRUCT and nobody can change the code"
    ),
    ...say([...immutable, "destructible", "timelock"], "proxy.kind", "refuted", "its code has no DELEGATECALL"),
    ...proxy("uups", "eip1967_uups", parts.uupsImplementation),
    ...proxy("uninitialised", "eip1967_uups", parts.uninitialisedImplementation),
    ...proxy("transparent", "eip1967_transparent", parts.logic),
    ...proxy("beacon", "eip1967_beacon", parts.logic),
    ...proxy("clone", "eip1167", parts.logic),
    ...proxy("usdc", "zeppelinos", usdcImplementation),
    ...proxy("safe", "safe", addresses.safe),
    ...proxy("moduleSafe", "safe", addresses.safeL2),
    ...say("diamond", "proxy.kind", "confirmed", "it was deployed as one", { kind: "eip2535_diamond" }),
    ...say(["uups", "uninitialised"], "proxy.upgradeable", "confirmed", "the issuer can call upgradeToAndCall"),
    ...say("transparent", "proxy.upgradeable", "confirmed", "the owner of its ProxyAdmin can upgrade it"),
    ...say("beacon", "proxy.upgradeable", "confirmed", "the owner of its beacon can upgrade it"),
    ...say("usdc", "proxy.upgradeable", "confirmed", "its admin can upgrade it"),
    ...say("diamond", "proxy.upgradeable", "confirmed", "its owner can cut it"),
    ...say("clone", "proxy.upgradeable", "refuted", "the implementation is part of its code"),
    ...say("uninitialised", "proxy.implementation-uninitialised", "confirmed", "initialize of it succeeds for anybody"),
    ...say(
      ["uups", "transparent", "beacon", "clone", "usdc"],
      "proxy.implementation-uninitialised",
      "refuted",
      "initialize of it reverts"
    ),
    ...say(
      ["uups", "transparent", "beacon", "clone", "usdc", "uninitialised"],
      "proxy.implementation-missing",
      "refuted",
      "the implementation has code"
    ),
    ...say(
      ["clone", "uninitialised"],
      "contract.compiler",
      "confirmed",
      "the metadata of the code behind it names solc"
    ),
    ...say(
      ["uninitialised", "hostileName", "collectible"],
      "token.impersonates",
      "refuted",
      "no listed token is so named"
    ),
    ...say("collectible", "token.metadata-anomalous", "refuted", "a short name in plain letters"),
    ...say("collectible", "proxy.kind", "refuted", "its code has no DELEGATECALL"),
    ...say("collectible", "contract.selfdestruct-reachable", "refuted", "its code has no SELFDESTRUCT"),
    ...say(Object.keys(targets) as ReadonlyArray<Name>, "endpoint.capable", "confirmed", "anvil does what is asked"),
    ...say([...basic("token"), ...basic("contract")], "contract.functions", "confirmed", "its dispatcher lists them"),
    ...say(
      [
        ...immutable.filter((name) => name !== "deflating"),
        "uups",
        "transparent",
        "beacon",
        "timelock",
        "destructible"
      ],
      "contract.compiler",
      "confirmed",
      "the metadata at the end of its code names solc"
    ),
    ...say(
      [...immutable.filter((name) => name !== "deflating" && name !== "mintable"), "destructible"],
      "contract.known-good-code",
      "refuted",
      "nobody published this code"
    ),
    ...say([...immutable, "destructible", "timelock"], "contract.delegatecall-mutable", "refuted", "no DELEGATECALL"),
    ...say(
      ([...pooled, ...unpooled, "collectible"] as ReadonlyArray<Name>).filter(
        (name) => !["plain", "usdc", "honeypot", "fakeUsdc"].includes(name)
      ),
      "token.listed",
      "refuted",
      "its address is on no list"
    ),
    ...say(
      ([...pooled, "uninitialised", "fakeUsdc"] as ReadonlyArray<Name>).filter(
        (name) => !["plain", "usdc", "pausable"].includes(name)
      ),
      "token.metadata-anomalous",
      "refuted",
      "a short name in plain letters"
    ),
    ...say(
      [...immutable, "clone", "collectible", "timelock", "destructible"],
      "proxy.upgradeable",
      "refuted",
      "nobody can change its code"
    ).filter(({ target }) => target !== "clone"),
    ...say(proxies, "proxy.admin", "confirmed", "one account with a key is asked"),
    ...say(proxies, "proxy.upgradeable-now", "confirmed", "whoever upgrades it need not wait"),
    ...say(proxies, "proxy.upgraded-recently", "refuted", "it has the code that it was made with"),
    ...say(
      ["usdc", "mintable", "safe", "moduleSafe", "timelock"],
      "contract.known-good-code",
      "confirmed",
      "it is on npm"
    ),
    ...Object.values(targets).flatMap(({ kind, name, pair }) =>
      kind === "wallet"
        ? []
        : say(
            name,
            "contract.provenance",
            "confirmed",
            "somebody put it there",
            // Whoever deployed what says nothing at its creation is not to be found without an index.
            pair === undefined || silent.has(name) ? undefined : { deployer: accounts.deployer }
          )
    )
  ]
}

/** Tokens with constructors that mint nothing. */
const silent: ReadonlySet<string> = new Set(["usdc", "share", "wrapped", "facade"])

import type { Address, Hex } from "viem"
import { concat, encodeFunctionData, pad, parseEther } from "viem/utils"
import { keyless, nobody } from "../chain/Account.js"
import * as Artifact from "../chain/Artifact.js"
import { addresses, artifacts } from "../market/Infrastructure.js"
import type { Made, Stage } from "../Stage.js"
import { ownedBy, powers, supply } from "../tokens/Specimens.js"
import { all, type Claims, no, none, undecidable, yes } from "../truth/Claim.js"
import * as Safe from "./Safe.js"

const day = 86_400
const delay = 7 * day
// Long after any plan could be due.
const later = 2_000_000_000
// Copies what it is sent: https://ethereum.github.io/execution-specs/src/ethereum/frontier/vm/precompiled_contracts/identity.py.html
const identity: Address = "0x0000000000000000000000000000000000000004"

/** A transaction that mints around an authority's apparent limits. */
export interface Step {
  readonly from: Address
  readonly to: Address
  readonly data: Hex
}

/**
 * Puts tokens on the chain with owners that are weaker than they look: timelocks without a delay for some callers,
 * Safes with one key behind all signers, dead owners beside a live one; and some honest twins.
 */
export const write = ({ script, accounts }: Stage) => {
  const { keeper, safeOwner1, safeOwner2, safeOwner3, trader1, trader2 } = accounts

  const call = (contract: Artifact.Artifact, name: string, ...args: ReadonlyArray<unknown>): Hex =>
    encodeFunctionData({ abi: contract.abi, functionName: name, args: [...args] })
  const mint = call(Artifact.own("ManagedToken"), "mint", keeper, minted)
  const zero = pad("0x00")

  // An address of its own makes all of it, so that no address of another target depends on what is here.
  const founder = script.unlock(keyless("assay sandbox: who makes false authorities"), parseEther("100"))
  const make = (name: string, ...args: ReadonlyArray<unknown>): Address =>
    script.deploy({ from: founder, contract: Artifact.own(name), args })
  const owned = (name: string, symbol: string, owner: Address): Address =>
    make("ManagedToken", name, symbol, supply, owner)
  let salt = 90n
  const safe = (owners: ReadonlyArray<Address>, threshold: bigint, handler?: Address): Address => {
    salt++
    const initializer =
      handler === undefined
        ? undefined
        : {
            to: handlerSetup,
            data: encodeFunctionData({
              abi: Artifact.own("HandlerSetup").abi,
              functionName: "handle",
              args: [handler]
            })
          }
    return Safe.create(script, { from: founder, singleton: addresses.safe, owners, threshold, salt, initializer })
  }

  const handlerSetup = make("HandlerSetup")
  const council = safe([safeOwner1, safeOwner2, safeOwner3], 2n)
  const waiting = make("RoleTimelock", BigInt(delay), council)
  const hasty = make("HastyBatchTimelock", BigInt(delay), keeper)
  const planned = make("PlannedTimelock", BigInt(delay), keeper)
  const backdating = make("BackdatingTimelock", BigInt(delay), keeper)
  const privileged = make("PrivilegedTimelock", BigInt(delay), keeper)
  const exempting = make("ExemptingTimelock", BigInt(delay), keeper)
  const sidestepping = make("SidesteppingTimelock", BigInt(delay), [keeper])
  const timeless = make("TimelessQueue", keeper, BigInt(delay))
  const patient = script.deploy({
    from: founder,
    contract: Artifact.openZeppelin("TimelockController"),
    args: [BigInt(delay), [keeper], [keeper], nobody]
  })
  script.seal()
  const anyOne = safe([safeOwner1, safeOwner2, safeOwner3], 1n)
  const holders = [1, 2, 3].map(() => make("Proxyholder", keeper))
  const same = safe(holders, 2n)
  const nested = safe([safe([keeper], 1n), safe([keeper], 1n), trader1], 2n)
  const joint = safe([trader1, safe([safeOwner1, safeOwner2], 2n), trader2], 2n)
  script.seal()

  const handled = owned("Hellebore", "HLLB", founder)
  const handling = safe([safeOwner1, safeOwner2, safeOwner3], 2n, handled)
  script.call({
    from: founder,
    to: handled,
    contract: Artifact.own("ManagedToken"),
    name: "transferOwnership",
    args: [handling]
  })
  const precompiled = make("SecondSlotToken", "Orpine", "ORPN", supply, identity, keeper)
  const itself = make("SelfOwnedToken", "Houseleek", "HSLK", supply, keeper)
  script.seal()

  // A mint was scheduled while the delay was zero, and the delay was raised after that.
  const timelock = Artifact.openZeppelin("TimelockController")
  const primed = script.deploy({ from: founder, contract: timelock, args: [0n, [keeper], [keeper], nobody] })
  const announced = owned("Knapweed", "KNPW", primed)
  const before = (name: string, to: Address, data: Hex, ...args: ReadonlyArray<unknown>): void =>
    void script.call({ from: keeper, to: primed, contract: timelock, name, args: [to, 0n, data, zero, zero, ...args] })
  const waitLonger = call(timelock, "updateDelay", BigInt(delay))
  before("schedule", announced, mint, 0n)
  before("schedule", primed, waitLonger, 0n)
  before("execute", primed, waitLonger)
  script.seal()

  const token = (claims: Claims): Claims => ({
    "proxy.kind": no("its code has no DELEGATECALL"),
    "proxy.upgradeable": no("its code has no DELEGATECALL"),
    "trade.route": no("no exchange has a pool of it"),
    ...all(powers, no("no function of it does that to a holder")),
    ...claims
  })
  const managed = (address: Address, description: string, owner: Address, claims: Claims): Made => ({
    address,
    description,
    claims: token({
      ...ownedBy(owner, "whoever controls the owner is alive"),
      "control.reclaimable": no("nobody but the owner names the next"),
      "token.powers-survive-renouncing": none("ownership was not given up"),
      "token.mintable": yes("whoever controls the owner mints"),
      "token.pausable": yes("whoever controls the owner pauses"),
      ...claims
    })
  })
  const made = (name: string, symbol: string, owner: Address, description: string, claims: Claims): Made =>
    managed(owned(name, symbol, owner), description, owner, claims)
  const atOnce = (who: string): Claims => ({
    "control.single-key": yes(who),
    "control.timelocked": no(who)
  })

  const targets = {
    waitingOwned: made("Bugle", "BUGL", waiting, "its owner is a timelock of 7 days that nobody published", {
      "control.timelocked": yes("nothing gets around the delay of seven days", { delay_seconds: delay }),
      "control.single-key": undecidable("a role may have been given to somebody without an event"),
      "control.change-planned": no("it was told nothing")
    }),
    patientKey: made("Bistort", "BSTT", patient, "its owner is a timelock of 7 days that one key proposes to", {
      "control.timelocked": yes("nothing gets around the delay of seven days", { delay_seconds: delay }),
      "control.single-key": yes("who waits for seven days is one key"),
      "control.change-planned": no("it was told nothing")
    }),
    announcedOwned: managed(
      announced,
      "its owner is OpenZeppelin's timelock of 7 days, which was told to mint before it had to wait",
      primed,
      {
        ...atOnce("one key has minting done that is due"),
        "control.change-planned": yes("it was told to mint, and has not")
      }
    ),
    hastyOwned: made(
      "Campion",
      "CMPN",
      hasty,
      "its owner is a timelock that does several things at once without a plan",
      atOnce("one key does them all in a batch")
    ),
    plannedOwned: made(
      "Catmint",
      "CTMN",
      planned,
      "its owner is a timelock that does what is planned before its time",
      atOnce("one key plans and does it at once")
    ),
    backdatedOwned: made(
      "Clary",
      "CLRY",
      backdating,
      "its owner is a timelock that keeps every plan as due",
      atOnce("one key plans and does it at once")
    ),
    privilegedOwned: made(
      "Cudweed",
      "CDWD",
      privileged,
      "its owner is a timelock whose administrator needs no plan",
      atOnce("the administrator is one key")
    ),
    exemptOwned: made(
      "Fleabane",
      "FLBN",
      exempting,
      "its owner is a timelock that lets one function pass",
      atOnce("one key mints at once")
    ),
    sidesteppedOwned: made(
      "Figwort",
      "FGWT",
      sidestepping,
      "its owner is OpenZeppelin's timelock with a way past it for one function",
      atOnce("one key mints at once")
    ),
    timelessOwned: made(
      "Gentian",
      "GNTN",
      timeless,
      "its owner is Compound's timelock without a look at the clock",
      atOnce("one key queues and does it at once")
    ),
    oneOfThree: made(
      "Germander",
      "GRMN",
      anyOne,
      "its owner is a Safe of which any one owner is enough",
      atOnce("each of the owners acts alone")
    ),
    sameKey: made(
      "Hawkbit",
      "HWKB",
      same,
      "its owner is a Safe, 2 of 3, whose owners are contracts of one key",
      atOnce("one key signs for all")
    ),
    nestedKey: made(
      "Hemlock",
      "HMLK",
      nested,
      "its owner is a Safe, 2 of 3, of which two owners are Safes of one key",
      atOnce("one key signs for two")
    ),
    jointly: made("Lovage", "LVGE", joint, "its owner is a Safe, 2 of 3, one of whose owners is a Safe of others", {
      "control.single-key": no("it takes two keys"),
      "control.timelocked": no("a Safe need not wait")
    }),
    handledOwned: managed(
      handled,
      "its owner is a Safe that hands what anybody calls it with on to the token",
      handling,
      { "control.single-key": yes("anybody calls what only the owner may") }
    ),
    precompiledOwner: {
      address: precompiled,
      description: "its owner is a precompiled contract, and a hidden address mints",
      claims: token({
        "control.owner": yes("owner() answers it", { owner: identity }),
        "control.renounced": yes("nobody has the key of a precompiled contract"),
        "control.hidden": yes("the maker mints"),
        "control.single-key": yes("the maker is one key"),
        "token.mintable": yes("the maker mints"),
        "token.powers-survive-renouncing": yes("the maker mints")
      })
    },
    selfOwned: {
      address: itself,
      description: "it owns itself, and one key says what it calls",
      claims: token({
        "control.owner": yes("owner() answers it", { owner: itself }),
        "control.renounced": no("one key makes it call itself"),
        "control.single-key": yes("one key makes it call itself"),
        "token.mintable": yes("one key makes it call itself"),
        ...all(["token.powers-survive-renouncing", "control.hidden"], none("ownership was not given up"))
      })
    }
  } satisfies Readonly<Record<string, Made>>

  const roleTimelock = Artifact.own("RoleTimelock")
  const queue = Artifact.own("TimelessQueue")
  const { safe: safeArtifact } = artifacts()
  const by = (to: Address, ...data: ReadonlyArray<Hex>): ReadonlyArray<Step> =>
    data.map((each) => ({ from: keeper, to, data: each }))
  const execute = (name: keyof typeof targets): Hex =>
    call(roleTimelock, "execute", targets[name].address, 0n, mint, zero, zero)
  const schedule = (name: keyof typeof targets): Hex =>
    call(roleTimelock, "schedule", targets[name].address, 0n, mint, zero, zero, BigInt(delay))
  const queued = [targets.timelessOwned.address, 0n, "", mint, BigInt(later)]
  const signature = concat([pad(safeOwner1), zero, "0x01"])
  const signed = [targets.oneOfThree.address, 0n, mint, 0, 0n, 0n, 0n, nobody, nobody, signature]
  /** How each is minted past its owner, all in blocks that follow each other. */
  const ways: Readonly<Partial<Record<keyof typeof targets, ReadonlyArray<Step>>>> = {
    announcedOwned: by(primed, execute("announcedOwned")),
    hastyOwned: by(hasty, call(roleTimelock, "executeBatch", [targets.hastyOwned.address], [0n], [mint], zero, zero)),
    plannedOwned: by(planned, schedule("plannedOwned"), execute("plannedOwned")),
    backdatedOwned: by(backdating, schedule("backdatedOwned"), execute("backdatedOwned")),
    privilegedOwned: by(privileged, execute("privilegedOwned")),
    exemptOwned: by(exempting, execute("exemptOwned")),
    sidesteppedOwned: by(sidestepping, execute("sidesteppedOwned")),
    timelessOwned: by(
      timeless,
      call(queue, "queueTransaction", ...queued),
      call(queue, "executeTransaction", ...queued)
    ),
    oneOfThree: [{ from: safeOwner1, to: anyOne, data: call(safeArtifact, "execTransaction", ...signed) }],
    handledOwned: by(handling, mint),
    precompiledOwner: by(precompiled, mint),
    selfOwned: by(itself, call(Artifact.own("SelfOwnedToken"), "execute", itself, mint))
  }
  return { targets, ways }
}

/** What each of the ways mints, for the keeper. */
export const minted = 1_000n

/** The name of a target of this module. */
export type Name = keyof ReturnType<typeof write>["targets"]

import { HostileCodes } from "@assay/sandbox"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as CodeModel from "../../../src/evm/interpreter/CodeModel.js"
import * as TokenPowers from "../../../src/evm/powers/TokenPowers.js"
import type * as Guard from "../../../src/evm/summary/conditions/Guard.js"
import * as StorageFlow from "../../../src/evm/summary/StorageFlow.js"
import { contracts, describeCompiled } from "../Compiled.js"

/**
 * What a token's code says: `!` a lever that is certain, `+` one for a privileged caller. Powers that it has none of
 * are left out.
 */
const expected: Record<string, Record<string, string>> = {
  Plain: {},
  FixedSupply: {},
  FixedBurnPermit: {},
  FixedVotes: {},
  OwnerMint: { mint: "found mint!+" },
  RoleMint: { mint: "found mint!+", pause: "found pause!+ unpause!+" },
  HiddenKeeper: { mint: "found sync!+" },
  ConstantKeeper: { mint: "found rescue!+" },
  AuthorityMint: { mint: "found issue!+" },
  LockedMint: { mint: "found issue!+" },
  OpenMint: { mint: "found issue!" },
  Faucet: { mint: "found claim!" },
  FaucetOnce: { mint: "unknown claim" },
  YearlyMint: { mint: "unknown release" },
  MisnamedMint: { mint: "found increaseAllowance!+" },
  OneTimeMint: { mint: "unknown issue!+" },
  JoinedMint: { mint: "unknown issue" },
  WrappedEther: {},
  OwnBurner: {},
  Airdrop: {},
  Switched: { pause: "found setStopped!+" },
  OpenSwitch: { pause: "found stop!" },
  Reentrant: {},
  Scheduled: { pause: "found setStart!+" },
  ScheduledOnce: {},
  Spared: { pause: "found launch!+", whitelist: "unknown setEarly+" },
  SparedAgain: { pause: "found setOpen!+", whitelist: "unknown setEarly+" },
  SparedSince: { pause: "found launch!+", whitelist: "unknown setEarly+" },
  SparedUntil: { pause: "found setStart!+", whitelist: "unknown setEarly+" },
  FrozenByTurns: { pause: "found setFrozen!+", blacklist: "found setCold!+", whitelist: "unknown setUnfrozen+" },
  BannedAgain: { blacklist: "found setBanned!+" },
  Levelled: { blacklist: "unknown setLevel+", whitelist: "unknown setLevel+", limit: "unknown setLevel+" },
  Filtered: { pause: "found setFilter!+", blacklist: "unknown setFilter+", whitelist: "unknown setFilter+" },
  Ordered: { blacklist: "unknown setLast+", whitelist: "unknown setLast+", limit: "unknown setLast+" },
  CodeBanned: { pause: "unknown setCode+", blacklist: "unknown setCode+", whitelist: "unknown setCode+" },
  Encumbered: { limit: "unknown setLien+" },
  StoppedBySupply: {
    mint: "found dilute!+",
    pause: "unknown",
    blacklist: "unknown",
    whitelist: "unknown",
    limit: "unknown"
  },
  Decaying: {
    pause: "unknown setRate+",
    limit: "unknown setRate+",
    tax: "unknown setRate+",
    bypass: "unknown transferFrom"
  },
  SoldTwice: { mint: "unknown sell" },
  SoldAfter: { mint: "unknown sell" },
  SoldOften: { mint: "unknown sell" },
  SoldForAnother: { mint: "unknown sell" },
  SoldFromStock: {},
  GasBound: { pause: "unknown setLeast+", limit: "unknown setLeast+" },
  BannedAtFirst: { blacklist: "unknown setBanned!+" },
  BannedSince: { blacklist: "found setBanned!+" },
  CountedTotal: { limit: "unknown take+" },
  Accrued: { limit: "unknown accrue+" },
  AskedTogether: { pause: "found setStopped!+", blacklist: "found setAway!+" },
  Members: { whitelist: "found setMember!+" },
  SilentFreeze: { blacklist: "found freeze!+" },
  TimeLocks: { blacklist: "found hold!+" },
  OwnLocks: {},
  TurnedAway: { blacklist: "found setAway!+" },
  MaxWallet: { limit: "found setMax!+" },
  FixedLimit: {},
  LiftedLimit: {},
  Cooldown: { limit: "found setPause!+" },
  Taxed: {
    pause: "found launch!+",
    blacklist: "found setBot!+",
    limit: "found setMax!+",
    tax: "found setFee!+"
  },
  // Above a hundred per cent what arrives wraps.
  UncheckedTax: { mint: "unknown", tax: "found setFee!+" },
  FixedTax: {},
  Clawback: { seize: "found settle!+" },
  Burner: { seize: "found burn!+" },
  AnybodysBurner: { seize: "found burn!" },
  Treasury: { seize: "unknown spend+" },
  Granted: { bypass: "found grant!+" },
  AllowanceBypass: { bypass: "found transferFrom!+" },
  Permitted: {},
  Signed: {},
  PricedMint: { mint: "found buy setPrice!+" },
  FixedPriceMint: {},
  Receipts: { mint: "unknown deposit", seize: "found rescue!+" },
  Rescuing: {},
  FixedExchange: {},
  Exchange: { seize: "found setPrices!+" },
  EmptiedExchange: { seize: "found withdraw!+" },
  OwnersExchange: {},
  // Transfers go through all who were left out: enough of them use up all gas.
  LeavingOut: { mint: "unknown leaveOut+", pause: "unknown leaveOut+", seize: "unknown leaveOut+" },
  LettingIn: {
    mint: "unknown leaveOut+ letIn+",
    pause: "unknown leaveOut+ letIn+",
    seize: "found leaveOut+ letIn!+"
  },
  LettingInFairly: {
    mint: "unknown leaveOut+ letIn+",
    pause: "unknown leaveOut+ letIn+",
    seize: "unknown leaveOut+ letIn+"
  }
}

const read = (code: `0x${string}`) => Effect.map(StorageFlow.analyse(code), (flow) => TokenPowers.of(code, flow))

const summary = (powers: TokenPowers.TokenPowers, names: ReadonlyMap<string, string>): Record<string, string> =>
  Object.fromEntries(
    TokenPowers.powers.flatMap((power) => {
      const { levers, state } = powers[power]
      const by = levers.map(
        ({ certain, privileged, selector }) =>
          `${names.get(selector) ?? selector}${certain ? "!" : ""}${privileged ? "+" : ""}`
      )
      return state === "none" && levers.length === 0 ? [] : [[power, [state, ...new Set(by)].sort(byState).join(" ")]]
    })
  )

const byState = (a: string, b: string): number =>
  Number(states.has(b)) - Number(states.has(a)) || (a < b ? -1 : a > b ? 1 : 0)

const states: ReadonlySet<string> = new Set(["found", "none", "unknown"])

describeCompiled("TokenPowers", (pipeline) => {
  const contract = contracts(pipeline)

  for (const [name, powers] of Object.entries(expected)) {
    const what = Object.keys(powers).length === 0 ? "has no power over the holders" : Object.keys(powers).join(", ")
    it.effect(`reads ${name}: ${what}`, () =>
      Effect.gen(function* () {
        const { code, names } = contract(name)
        assert.deepStrictEqual(summary(yield* read(code), names), powers)
      })
    )
  }

  it.effect("doubts that nobody stops transfers which call another contract", () =>
    Effect.gen(function* () {
      const powers = yield* read(contract("Hooked").code)
      for (const power of TokenPowers.stopping) {
        assert.deepStrictEqual([powers[power].state, powers[power].reasons], ["unknown", ["external_call"]])
      }
      assert.deepStrictEqual(powers.seize.state, "none")
    })
  )

  it.effect("finds nothing in what is no token, and does not say that there is nothing", () =>
    Effect.gen(function* () {
      const powers = yield* read(contract("NotAToken").code)
      for (const power of TokenPowers.powers) {
        assert.strictEqual(powers[power].state, "unknown", power)
        assert.include(powers[power].reasons, "no_balances", power)
      }
    })
  )

  it.effect("calls nothing absent where a write may go anywhere, or the books are kept elsewhere", () =>
    Effect.gen(function* () {
      for (const [name, reason] of [
        ["AnySlot", "write_location"],
        ["ForeignBooks", "external_books"]
      ] as const) {
        const powers = yield* read(contract(name).code)
        for (const power of TokenPowers.powers) {
          assert.notStrictEqual(powers[power].state, "none", `${name} ${power}`)
          assert.include(powers[power].reasons, reason, `${name} ${power}`)
        }
      }
    })
  )

  it.effect("says who is let through by an authority: nobody that the code names", () =>
    Effect.gen(function* () {
      const { mint } = yield* read(contract("AuthorityMint").code)
      const kinds = mint.levers.flatMap(({ guards }) => guards.map((guard: Guard.Guard) => [guard.kind, guard.always]))
      assert.deepInclude(kinds, ["slot", false])
      assert.deepInclude(kinds, ["unknown", false])
    })
  )

  it.effect("knows that a switch which was opened for good stops nothing any more", () =>
    Effect.gen(function* () {
      const released = (name: string, words: ReadonlyArray<bigint>) =>
        Effect.map(read(contract(name).code), ({ pause }) =>
          pause.levers.flatMap((lever) => words.map((word) => TokenPowers.isReleased(lever, `0x${word.toString(16)}`)))
        )
      const bits = (1n << 256n) - 1n
      assert.deepStrictEqual(yield* released("Spared", [0n, bits]), [false, true])
      assert.deepStrictEqual(yield* released("Switched", [0n, bits]), [false, false])
      assert.deepStrictEqual(yield* released("RoleMint", [0n, bits]), [true, false, false, false])
    })
  )

  it.effect("says what a switch lets through with", () =>
    Effect.gen(function* () {
      const { pause } = yield* read(contract("Switched").code)
      assert.deepStrictEqual(
        pause.levers.map(({ variable }) => variable?.passes),
        ["zero"]
      )
      const spared = (yield* read(contract("Spared").code)).pause
      assert.deepStrictEqual(
        spared.levers.map(({ variable }) => variable?.passes),
        ["nonzero"]
      )
    })
  )
})

describe("TokenPowers, hostile code", () => {
  for (const [name, code] of Object.entries(HostileCodes.hostileCodes))
    it(`ends within bounded work for ${name}`, () => {
      let slices = 0
      const reading = TokenPowers.inSlices(CodeModel.of(code), StorageFlow.analyseWith(code, []))
      while (reading.next().done !== true) slices++
      assert.isBelow(slices, 400)
    })
})

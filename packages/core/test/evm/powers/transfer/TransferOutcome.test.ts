import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as TokenPowers from "../../../../src/evm/powers/TokenPowers.js"
import * as StorageFlow from "../../../../src/evm/summary/StorageFlow.js"
import { contracts, describeCompiled } from "../../Compiled.js"

const stopping = { pause: "unknown", blacklist: "unknown", whitelist: "unknown", limit: "unknown" }

const listing = { ...stopping, tax: "unknown" }

const hidden = { blacklist: "unknown", pause: "none unknown", whitelist: "none unknown", limit: "none unknown" }

/** The powers that are not ruled out, with the state of each; where a compiler hides what another shows, both are there. */
const expected: Record<string, { readonly why: string; readonly powers: Partial<Record<TokenPowers.Power, string>> }> =
  {
    Caught: { why: "what does not arrive is taken", powers: { blacklist: "unknown", tax: "unknown" } },
    CaughtAll: { why: "what goes to the owner does not arrive", powers: { pause: "unknown", tax: "unknown" } },
    Every: { why: "what goes elsewhere now and then does not arrive", powers: { pause: "unknown", tax: "unknown" } },
    EveryFixed: { why: "what is only noted now and then arrives", powers: {} },
    SentBack: { why: "what is sent to its sender does not arrive", powers: { blacklist: "unknown", tax: "unknown" } },
    Burnt: {
      why: "what is burnt does not arrive",
      powers: { blacklist: "unknown", tax: "unknown", bypass: "unknown" }
    },
    CaughtBySigner: {
      why: "what goes elsewhere once a permit says so does not arrive",
      powers: { pause: "unknown", tax: "unknown" }
    },
    NotedBySigner: { why: "what a permit notes and transfers only read decides nothing", powers: {} },
    RefusedAtPool: {
      why: "a list stops its members where another contract answers as a pool does",
      powers: { blacklist: "unknown" }
    },
    NotedAtPool: { why: "what is noted of sales decides nothing", powers: {} },
    CaughtByDust: {
      why: "what goes elsewhere once anybody sent dust does not arrive",
      powers: { blacklist: "unknown", tax: "unknown" }
    },
    CaughtByOwnDust: { why: "what a sender does to himself nobody does to him", powers: {} },
    Overtaxed: { why: "a fee above what is sent stops its sender", powers: { blacklist: "unknown" } },
    Multiplied: { why: "a product that is always too large stops all", powers: { pause: "unknown" } },
    DividedByNothing: { why: "what is divided by nothing stops", powers: { blacklist: "unknown" } },
    ShownNothing: {
      why: "who has nothing cannot send, and loses all where nothing is sent for him",
      powers: { blacklist: "unknown", mint: "unknown", tax: "unknown", bypass: "unknown" }
    },
    Rounds: { why: "a loop may use up all gas", powers: { pause: "unknown" } },
    Endless: { why: "a loop may have no end", powers: { pause: "unknown found" } },
    FewRounds: { why: "a loop of a few rounds ends", powers: {} },
    SharesAlike: { why: "shares go where they are sent", powers: { mint: "unknown" } },
    SharesCaught: {
      why: "shares may go elsewhere",
      powers: { mint: "unknown", blacklist: "unknown", tax: "unknown" }
    },
    TaxedUntil: { why: "who is held back is taxed", powers: { tax: "found" } },
    PaidBesides: {
      why: "what is paid besides is a tax, and a bound, and more than was allowed",
      powers: { tax: "unknown", pause: "none unknown", limit: "unknown", bypass: "unknown" }
    },
    PaidAfterwards: {
      why: "what is paid afterwards is a tax",
      powers: { tax: "unknown", limit: "unknown", seize: "unknown", bypass: "found" }
    },
    ListOfLists: { why: "one of several lists is a list", powers: { blacklist: "unknown found" } },
    MembersOfList: { why: "one of several lists of members is a list", powers: { whitelist: "unknown found" } },
    RatesOfList: { why: "one of several lists of rates is a tax", powers: { tax: "unknown found" } },
    LittleOnly: { why: "a bound for some stops them", powers: { blacklist: "unknown" } },
    ScarceOnly: { why: "who needs more than he has is stopped", powers: { blacklist: "unknown" } },
    FeeFirst: { why: "whoever sends what he has can pay a part of it", powers: {} },
    LittleIntoPool: { why: "a bound for one place stops what is sold there", powers: { blacklist: "unknown" } },
    SparedOfBound: { why: "who is spared a fixed bound may be spared it no more", powers: { limit: "unknown" } },
    BoundOwner: { why: "what binds the owner binds nobody else", powers: {} },
    Unapproved: { why: "who can allow nothing cannot sell", powers: { blacklist: "unknown" } },
    KeptBalance: { why: "what a kept account has may be its switch", powers: stopping },
    KeptAllowance: { why: "what a kept account allows may be its list", powers: listing },
    TaxedByAllowance: { why: "what a kept account allows may be its list of whom to tax", powers: listing },
    TaxedByConstantAllowance: { why: "what an account in the code allows may be its list", powers: listing },
    CaughtByAllowance: { why: "what an account in a list allows may be its list of whom to catch", powers: listing },
    RoundsByAllowance: { why: "what a kept account allows may be its list of whom to keep busy", powers: listing },
    TaxedByOwnAllowance: { why: "what senders allow a kept account is no list of that account", powers: {} },
    AllowsItself: { why: "what the token allows for itself is no list", powers: {} },
    RoundsByBit: { why: "a list of bits may keep a sender busy for ever", powers: { blacklist: "unknown found" } },
    RoundsByCountedBit: { why: "a list of bits may say for how long", powers: { blacklist: "unknown found" } },
    RoundsByFixedBit: { why: "bits that nobody sets are no list of anybody", powers: {} },
    NotedByBit: { why: "bits by which something is noted stop nobody", powers: {} },
    FixedIndex: { why: "nobody sets what balances are multiplied with", powers: {} },
    HalvedIndex: { why: "half of all balances are taken", powers: { mint: "unknown", seize: "unknown" } },
    CutIndex: { why: "a part of all balances is taken", powers: { mint: "unknown", seize: "unknown" } },
    CrashedIndex: { why: "all balances are taken", powers: { mint: "unknown", seize: "unknown" } },
    Rebased: { why: "a rebase may take a part of all balances", powers: { mint: "found", seize: "unknown" } },
    BurntPool: { why: "what a pool has is not its owner's", powers: { seize: "unknown" } },
    BurntConstant: {
      why: "what is taken off a fixed account is taken",
      powers: { mint: "none unknown", seize: "unknown" }
    },
    BurntOwn: { why: "what the owner has is his", powers: {} },
    BurntSelf: { why: "what the token has is its own", powers: {} },
    BurntTreasury: { why: "what a treasury has is its own", powers: {} },
    TwoRates: { why: "two fees that are small are no switch", powers: {} },
    PoolRates: { why: "a fee of pools is no list of members", powers: {} },
    SparedOfRate: { why: "who is spared of a fee is no member", powers: {} },
    LongList: { why: "a list that the owner makes longer may use up all gas", powers: { pause: "unknown" } },
    LongPay: { why: "an array of paid accounts may use up all gas", powers: { pause: "unknown" } },
    LongOwnList: { why: "a list of one account's own may use up all gas", powers: { blacklist: "unknown" } },
    NoContracts: { why: "who may not send to contracts cannot sell", powers: { pause: "found" } },
    NoCallers: { why: "what contracts may not move cannot be sold", powers: { pause: "found" } },
    CountedUp: { why: "what the owner counts up he sets", powers: { pause: "unknown" } },
    StoppedRound: { why: "the round that is stopped is the one that it is", powers: { blacklist: "unknown" } },
    StoppedNumber: {
      why: "a list of numbers is one of those who have them",
      powers: { blacklist: "unknown", pause: "unknown" }
    },
    NotedAfterwards: { why: "what is noted after the tokens moved stops nobody", powers: {} },
    QuietlyLocked: { why: "nothing moves though a lock was taken", powers: { whitelist: "unknown" } },
    TakenAfterwards: {
      why: "what the listed receive is taken",
      powers: { tax: "found", seize: "unknown", bypass: "found" }
    },
    TakenBefore: {
      why: "what the listed have is taken when they receive",
      powers: { tax: "unknown", mint: "unknown", seize: "unknown", bypass: "found" }
    },
    BurntWithSales: {
      why: "what a pool has is taken with transfers",
      powers: { seize: "unknown", pause: "unknown", limit: "unknown" }
    },
    AllowedByConstant: { why: "an entry at a hash may be an allowance", powers: { bypass: "none unknown" } },
    Blurred: { why: "who is asked for by the hash of a long formula may be listed", powers: hidden },
    BlurredQuietly: { why: "nothing may move by the hash of a long formula", powers: hidden },
    ManyWays: { why: "what is only noted decides nothing", powers: {} },
    PaidOnTop: { why: "what is paid on top is a tax", powers: { tax: "unknown", bypass: "unknown" } },
    PaidAlike: {
      why: "what each transfer costs is a tax, and makes nothing",
      powers: { tax: "unknown", bypass: "unknown" }
    },
    LeftNothing: { why: "who is left nothing is taxed", powers: { tax: "unknown", bypass: "unknown" } },
    LeftNothingOfMany: {
      why: "who is left nothing on one of too many paths to follow is taxed",
      powers: { tax: "unknown", bypass: "unknown" }
    },
    CountedOnly: { why: "what is only counted on too many paths to follow taxes nobody", powers: {} }
  }

/** What tokens say of a transfer that they made, and the powers that are not ruled out by it. */
const said: typeof expected = {
  SaysYes: { why: "says that it was made", powers: {} },
  SaysNo: { why: "who always says no is asked by nobody", powers: {} },
  SaysNothing: { why: "who says nothing has not said no", powers: {} },
  SaysBySwitch: { why: "what says that it failed stops who asks", powers: { pause: "unknown" } },
  SaysOnSwitch: { why: "what leads to saying that it failed stops who asks", powers: { pause: "unknown" } },
  SaysTooLittle: { why: "less than a word is no yes", powers: { pause: "unknown" } },
  SaysTwo: { why: "two is no yes", powers: { pause: "unknown" } },
  SaysMore: { why: "the first of two words is the answer", powers: { pause: "unknown" } },
  SaysByList: { why: "who is told that it failed is turned away", powers: { blacklist: "unknown" } },
  SaysForListed: { why: "who alone is told that it was made is let through", powers: { whitelist: "unknown" } },
  SaysByAmount: {
    why: "an amount of which it is said that it failed is bounded",
    powers: { pause: "unknown", limit: "unknown" }
  },
  SaysByHolding: {
    why: "what somebody may have is bounded by saying no",
    powers: { pause: "unknown", limit: "unknown" }
  },
  SaysByTime: { why: "a moment before which it is said to fail stops who asks", powers: { pause: "unknown" } },
  SaysYesOfMany: { why: "what is said on too many paths to follow is the same on all", powers: {} },
  SaysBySwitchOfMany: { why: "what is said on too many paths to follow may be a switch", powers: stopping },
  SaysOnListOfMany: { why: "what is said on too many paths to follow may be a list", powers: stopping },
  SaysByJudge: {
    why: "what another contract says is up to whoever appoints it",
    powers: { ...stopping, pause: "found" }
  }
}

describeCompiled("TransferOutcome", (pipeline) => {
  const inOutcomes = contracts(pipeline, "Outcomes.sol")
  const inAnswers = contracts(pipeline, "Answers.sol")

  for (const [name, { contract, powers, why }] of [
    ...Object.entries(expected).map(([name, token]) => [name, { ...token, contract: inOutcomes }] as const),
    ...Object.entries(said).map(([name, token]) => [name, { ...token, contract: inAnswers }] as const)
  ])
    it.effect(`${why} (${name})`, () =>
      Effect.gen(function* () {
        const { code } = contract(name)
        const found = TokenPowers.of(code, yield* StorageFlow.analyse(code))
        for (const power of TokenPowers.powers)
          assert.include((powers[power] ?? "none").split(" "), found[power].state, power)
      })
    )
})

/** The powers to stop transfers or to take a part that are not ruled out where transfers go to another account. */
const elsewhere: Readonly<Record<string, string>> = {
  StoredButOwner: "pause unknown,tax unknown",
  StoredButPool: "pause unknown,tax unknown",
  StoredOnSale: "pause unknown,tax unknown",
  StoredForOrigin: "pause unknown,tax unknown",
  StoredOncePaid: "pause unknown,blacklist unknown,whitelist unknown,limit unknown",
  StoredOnceHeld: "pause unknown,blacklist unknown,whitelist unknown,limit unknown",
  StoredForExternal: "pause unknown,tax unknown",
  StoredButHashed: "pause unknown,tax unknown",
  StoredForCodeAlike: "pause unknown,tax unknown",
  StoredForPair: "pause unknown,tax unknown",
  StoredForSpender: "pause unknown,tax unknown",
  NotedForExternal: "",
  StoredForever: "",
  NotedElsewhere: "",
  NotedOnceHeld: ""
}

describeCompiled("TransferOutcome of a transfer that goes to another account", (pipeline) => {
  const contract = contracts(pipeline, "Elsewhere.sol")

  for (const [name, expected] of Object.entries(elsewhere))
    it.effect(`finds "${expected}" in ${name}, whatever the exception is`, () =>
      Effect.gen(function* () {
        const { code } = contract(name)
        const powers = TokenPowers.of(code, yield* StorageFlow.analyse(code))
        const found = TokenPowers.powers.filter((power) => powers[power].state !== "none")
        assert.strictEqual(found.map((power) => `${power} ${powers[power].state}`).join(), expected)
      })
    )
})

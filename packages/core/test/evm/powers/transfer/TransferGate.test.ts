import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as TokenPowers from "../../../../src/evm/powers/TokenPowers.js"
import * as TransferGate from "../../../../src/evm/powers/transfer/TransferGate.js"
import * as StorageFlow from "../../../../src/evm/summary/StorageFlow.js"
import { contracts, describeCompiled, type Pipeline } from "../../Compiled.js"

const untold = { pause: "unknown", blacklist: "unknown", whitelist: "unknown", limit: "unknown" }

/** The powers over transfers that are not ruled out, of those that stop, bound or tax them or spend what others have. */
const expected: Record<string, { readonly why: string; readonly powers: Partial<Record<TokenPowers.Power, string>> }> =
  {
    LeftLocked: { why: "whoever leaves a lock taken stops transfers", powers: { pause: "found" } },
    LeftLockedBySending: {
      why: "a lock that a privileged transfer leaves taken stops all others",
      powers: { pause: "found" }
    },
    LockedByLeftValue: {
      why: "a value that a transfer leaves in its lock may still stop the next one",
      powers: { pause: "found" }
    },
    Unlocked: { why: "whoever lets go of a lock stops nothing", powers: {} },
    Turned: { why: "a switch may be turned on and off by one function", powers: { pause: "found" } },
    TurnedAccounts: {
      why: "an entry of a list may be turned on and off by one function",
      powers: { blacklist: "found" }
    },
    ApprovalDoor: { why: "approve() may do more than approve", powers: { blacklist: "found" } },
    CountedSales: { why: "a bound of what an account does is no clean sheet", powers: { limit: "unknown" } },
    GasPriced: { why: "a bound of the price of gas is no clean sheet", powers: { limit: "unknown" } },
    Overflowing: { why: "a sum may be made to overflow", powers: { limit: "unknown" } },
    Divided: { why: "what is divided by may be made zero", powers: { pause: "unknown" } },
    ArrayOfTurnedAway: {
      why: "accounts in an array are turned away, and a long one stops all",
      powers: { blacklist: "found", pause: "unknown" }
    },
    Coded: { why: "what the code of a kept account decides cannot be told", powers: untold },
    CodedReceivers: { why: "whether the receiver is a contract is up to the sender", powers: {} },
    BookSwitch: { why: "what a marked account has may be anybody's switch", powers: untold },
    ManyWaysRound: { why: "a question with too many answers is not told", powers: untold },
    AskedAfterMany: { why: "what is asked last of many is a switch", powers: { pause: "found" } },
    AskedAfterTooMany: { why: "what is asked after more than can be looked at is not told", powers: untold },
    AskedWhileOn: { why: "whether something is asked at all is no switch of its own", powers: { pause: "unknown" } },
    SteppedFee: { why: "a fee that goes up by steps is changed", powers: { tax: "found" } },
    LoweredLimit: { why: "a limit that is lowered by an amount is changed", powers: { limit: "found" } },
    PlannedFee: { why: "a fee that anybody copies from what the owner planned is changed", powers: { tax: "unknown" } },
    ChosenFee: { why: "which of several fees counts is as good as the fee", powers: { tax: "unknown" } },
    FeeFromThen: { why: "from when on a fee is taken is as good as the fee", powers: { tax: "found" } },
    SentSwitch: { why: "a transfer of somebody appointed may be a switch", powers: { pause: "found" } },
    SentMark: { why: "a transfer of somebody appointed may mark who receives it", powers: { blacklist: "found" } },
    SentFee: { why: "a transfer of somebody appointed may set the fee", powers: { tax: "found" } },
    SentLimit: { why: "a transfer of somebody appointed may set a limit", powers: { limit: "found" } },
    SecretAmount: { why: "a transfer of anybody may be a switch", powers: { pause: "unknown" } },
    SecretReceiver: { why: "a transfer of anybody may set the fee", powers: { tax: "unknown" } },
    SecretApproval: { why: "an approval of anybody may mark somebody", powers: { blacklist: "unknown" } },
    Paced: { why: "who it is whose transfers are dated the chain tells", powers: { blacklist: "unknown" } },
    LaunchedBySending: { why: "whether a transfer opened it already the chain tells", powers: { pause: "unknown" } },
    CountedPurchases: { why: "that a transfer counts is no switch", powers: {} },
    SparedLimit: { why: "who was spared a bound, as a pool, may be spared it no more", powers: { limit: "unknown" } },
    SparedSize: { why: "who may have more than others may be told not to", powers: { limit: "unknown" } },
    SparedPool: { why: "which account is spared a bound is as good as the bound", powers: { limit: "unknown" } },
    SparedStoredLimit: {
      why: "who is spared a bound that stays may be spared it no more",
      powers: { limit: "unknown" }
    },
    SparedPart: { why: "who may send more than a part of all may be told not to", powers: { limit: "unknown" } },
    SparedPace: { why: "who need not wait may be told to", powers: { limit: "unknown" } },
    SparedSecond: { why: "who is spared is spared all that is asked there", powers: { limit: "unknown" } },
    SparedNothing: { why: "that nothing may be sent by some only stops nobody", powers: {} },
    SparedBan: { why: "whom one list spares the other is no list of those who may", powers: { blacklist: "found" } },
    SparedBans: {
      why: "whom a list spares an array is no list of those who may",
      powers: { blacklist: "found", pause: "unknown" }
    },
    SparedPurchase: {
      why: "who may send to those on another list may be all who sell",
      powers: { blacklist: "found", whitelist: "found" }
    },
    SparedParties: {
      why: "whether a list of those who are spared is one of all who sell cannot be told of both parties",
      powers: { blacklist: "found", whitelist: "unknown" }
    },
    SparedHalt: {
      why: "whom a switch spares are all who may while it is on",
      powers: { pause: "found", whitelist: "unknown" }
    },
    SparedTreasury: {
      why: "whom it is asked of is not what is asked",
      powers: { pause: "unknown" }
    },
    AskedTwice: { why: "what is asked either way does not go by the way", powers: { pause: "found" } },
    AskedDeep: {
      why: "what is asked last is asked of those who come to it",
      powers: { blacklist: "found", limit: "unknown" }
    },
    SparedForGood: { why: "who only ever spares accounts bounds nobody", powers: {} },
    SparedOwner: { why: "that whoever is asked for is spared is no choice over others", powers: {} },
    SpentGas: { why: "what all gas may be spent by is a switch", powers: { pause: "unknown" } },
    MissingAnswer: { why: "what more is copied by than there is is a switch", powers: { pause: "unknown" } },
    SpentByMarked: { why: "what all gas may be spent by for one account is a list", powers: { blacklist: "unknown" } },
    StarvedCall: { why: "what a call that has to succeed gets its gas by is a switch", powers: { pause: "unknown" } },
    ReadElsewhere: { why: "what says where storage is read is a switch", powers: { pause: "unknown" } },
    AimedElsewhere: { why: "what a receiver is worked out with is a switch", powers: { pause: "unknown" } },
    AimedByMark: {
      why: "what the receiver of one account's is worked out with is a list",
      powers: { blacklist: "unknown" }
    },
    AimedByPlace: { why: "what says where the receiver is told is a switch", powers: { pause: "unknown" } },
    PackedTreasury: { why: "an account beside a number is one as it stands", powers: {} },
    MarkedAmounts: { why: "what an account's amounts are held against is a list", powers: { blacklist: "unknown" } },
    MarkedMeeting: { why: "what two accounts have in common is a list", powers: { blacklist: "unknown" } },
    CutBound: { why: "a limit of which a part is left is changed", powers: { limit: "unknown" } },
    ScrambledBound: { why: "a limit of which bits are turned is changed", powers: { limit: "unknown" } },
    MaskedBound: { why: "a limit of which bits are taken is changed", powers: { limit: "unknown" } },
    CopiedBound: { why: "a limit that is another number from then on is changed", powers: { limit: "unknown" } },
    PartBound: { why: "a limit that is a part of the supply from then on is changed", powers: { limit: "unknown" } },
    SizedBound: { why: "a limit that comes from the call is changed", powers: { limit: "unknown" } },
    CutByAnybody: { why: "a limit that anybody halves is changed", powers: { limit: "unknown" } },
    LiftedBound: { why: "a limit as high as the supply is none", powers: {} },
    TurnedByAnybody: { why: "a switch that anybody turns by reckoning is one", powers: { pause: "unknown" } },
    TurnedByPaying: { why: "a switch that anybody turns by paying is one", powers: { pause: "unknown" } },
    TurnedByEach: { why: "a switch that goes by who calls is one", powers: { pause: "unknown" } },
    ScrambledMark: { why: "a list that anybody scrambles is one", powers: { blacklist: "found" } },
    ScrambledFee: { why: "a fee of which bits are turned is changed", powers: { tax: "unknown" } },
    ThrownMoment: { why: "a moment of which bits are turned is changed", powers: { pause: "unknown" } },
    LentPool: { why: "whoever allows himself what a kept account has may spend it", powers: { bypass: "unknown" } }
  }

const watched: ReadonlyArray<TokenPowers.Power> = ["pause", "blacklist", "whitelist", "limit", "tax", "bypass"]

describeCompiled("TransferGate", (pipeline) => {
  const contract = contracts(pipeline, "Doors.sol")

  for (const [name, { powers, why }] of Object.entries(expected)) {
    it.effect(`${why} (${name})`, () =>
      Effect.gen(function* () {
        const { code } = contract(name)
        const found = TokenPowers.of(code, yield* StorageFlow.analyse(code))
        for (const power of watched) {
          const state = found[power].state
          assert.strictEqual(state, powers[power] ?? "none", power)
        }
      })
    )
  }

  it.effect("does not rule out a tax that another contract returns", () =>
    Effect.gen(function* () {
      const { code } = contract("AskedFee")
      assert.strictEqual(TokenPowers.of(code, yield* StorageFlow.analyse(code)).tax.state, "unknown")
    })
  )

  it.effect("does not rule out a switch of which only the hash of its name is in the code", () =>
    Effect.gen(function* () {
      const { code } = contract("AnyName")
      assert.notStrictEqual(TokenPowers.of(code, yield* StorageFlow.analyse(code)).pause.state, "none")
    })
  )
})

describeCompiled(
  "TransferGate of whole tokens",
  (pipeline) => {
    const contract = contracts(pipeline)

    for (const [name, gates] of [
      ["Taxed", ["flag launch!", "limit setMax!", "list setBot!", "rate setFee!"]],
      ["RoleMint", ["flag unpause!,pause!"]],
      ["SilentFreeze", ["list freeze!"]],
      ["PackedBalances", ["list freeze!"]],
      ["Plain", []]
    ] as const)
      it.effect(`finds the variables that decide transfers of ${name}, and who sets them`, () =>
        Effect.gen(function* () {
          const { code, names } = contract(name)
          const found = TransferGate.of(yield* StorageFlow.analyse(code)).map(({ kind, setters }) => {
            const by = setters.map(({ privileged, selector }) => {
              const called = selector === "fallback" ? selector : names.get(selector)
              return `${called}${privileged ? "!" : ""}`
            })
            return `${kind} ${by.join()}`
          })
          assert.deepStrictEqual(found.sort(), [...gates])
        })
      )
  },
  { of: ["optimised", "plain"] }
)

/** What is kept decides, whatever the account is like that is looked at last. */
const lastAsked: Readonly<Record<string, string>> = {
  PausedForAccounts: "pause found",
  PausedForTheRich: "pause found",
  PausedIntoContracts: "pause found",
  ListedAccounts: "blacklist found",
  MembersOrContracts: "whitelist found",
  BoundedAccounts: "limit found",
  BoundedTheRich: "limit found",
  NobodyPauses: "",
  FixedBound: "",
  OnlyUnpauses: "pause found",
  NotesContracts: ""
}

describeCompiled("TransferGate of a token that looks last at the code or the ether of a party", (pipeline) => {
  const contract = contracts(pipeline, "LastAsked.sol")

  for (const [name, expected] of Object.entries(lastAsked))
    it.effect(`finds "${expected}" in ${name}`, () =>
      Effect.gen(function* () {
        const { code } = contract(name)
        const powers = TokenPowers.of(code, yield* StorageFlow.analyse(code))
        const found = watched.filter((power) => powers[power].state !== "none")
        assert.strictEqual(found.map((power) => `${power} ${powers[power].state}`).join(), expected)
      })
    )
})

describe("TransferGate of a lock or a threshold", () => {
  const found: ReadonlyArray<readonly [file: string, name: string, power: TokenPowers.Power, state: string]> = [
    ["Locks", "AskedLock", "pause", "none"],
    ["Locks", "PackedAskedLock", "pause", "none"],
    ["Locks", "NumberAskedLock", "pause", "none"],
    ["Locks", "KeptLock", "pause", "found"],
    ["Locks", "KeptByAnswer", "pause", "unknown"],
    ["Locks", "KeptByArgument", "pause", "found"],
    ["Locks", "ReleasedLock", "pause", "found"],
    ["Locks", "NumberKept", "pause", "found"],
    ["Locks", "OpenedByLock", "pause", "found"],
    ["Thresholds", "SwitchAbove", "limit", "unknown"],
    ["Thresholds", "LockAbove", "limit", "unknown"],
    ["Thresholds", "BoundAbove", "limit", "found"],
    ["Thresholds", "Closing", "limit", "found"],
    ["Thresholds", "TinyAbove", "limit", "found"]
  ]

  const powersOf = (file: string, name: string, pipeline: Pipeline) => {
    const { code, names, selectors } = contracts(pipeline, `${file}.sol`)(name)
    return { names, powers: TokenPowers.of(code, StorageFlow.analyseWith(code, [...selectors.values()])) }
  }

  describeCompiled("each", (pipeline) =>
    it.each(found)("is taken in %s.%s for what it is: %s is %s", (file, name, power, state) => {
      assert.strictEqual(powersOf(file, name, pipeline).powers[power].state, state)
    })
  )

  it("names the bound that is set, and only as uncertain the balance from which it applies", () => {
    const { names, powers } = powersOf("Thresholds", "BoundAbove", "optimised")
    const certain = powers.limit.levers.filter((lever) => lever.certain).map(({ selector }) => names.get(selector))
    assert.deepStrictEqual([...new Set(certain)], ["setMaxTx"])
  })
})

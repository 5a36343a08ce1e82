import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Selectors from "../../../../src/evm/bytecode/Selectors.js"
import * as BalanceSeizure from "../../../../src/evm/powers/balance/BalanceSeizure.js"
import * as TokenPowers from "../../../../src/evm/powers/TokenPowers.js"
import * as StorageFlow from "../../../../src/evm/summary/StorageFlow.js"
import { contracts, describeCompiled } from "../../Compiled.js"

/** Functions that take something off whoever sends nothing. */
const losing = {
  certain: ["EmptiedReceiver", "EmptiedReceiverFrom", "EmptiedPool"],
  possible: ["EmptiedAfterwards", "EmptiedByAnybody", "LoweredReceiver", "Forwarded", "PoolTaken"],
  none: ["BurningSender", "BurningTransfers", "OwnTaken", "NobodyTaken"]
}

/** Tokens with balances that an account can recompute. */
const reckoned = ["MaskedBalance", "HalvedByAnybody", "PricedByAnybody", "ThinnedByAnybody"]

/** Tokens with a keeper who adds to balances, by whether the sum may wrap. */
const giving = {
  wrapping: ["GivingAnything", "GivingBesideAnother", "GivingWhatIsCut", "GivingPacked"],
  fitting: ["GivingChecked", "GivingWithinSupply", "GivingLittle", "GivingBackwards", "GivingPackedChecked"]
}

/** Transfers of an account in the code that do more than to transfer, by the powers that they use. */
const besides: Readonly<Record<string, ReadonlyArray<TokenPowers.Power>>> = {
  LentByWord: ["bypass"],
  LentBySmallAmount: ["bypass"],
  LentByPull: ["bypass"],
  SpentByKeeper: [],
  AllowingItself: [],
  PricedByTransfer: ["mint", "seize"],
  GrownByTransfers: []
}

/**
 * Standard functions that give an allowance to an account that their caller does not name, by how that account is
 * known.
 */
const sharing = { SharedApproval: "constant", SharedTransfer: "slot", OwnApprovals: undefined, KnownSpender: undefined }

describeCompiled("BalanceSeizure", (pipeline) => {
  const contract = contracts(pipeline, "Losses.sol")
  const read = (name: string) =>
    Effect.gen(function* () {
      const code = contract(name).code
      const flow = yield* StorageFlow.analyse(code)
      const powers = TokenPowers.of(code, flow)
      return { ...powers.seize, powers, seizures: BalanceSeizure.of(flow) }
    })

  for (const name of losing.certain)
    it.effect(`finds that a constant account empties others in a transfer of ${name}`, () =>
      Effect.gen(function* () {
        const { seizures, state } = yield* read(name)
        assert.strictEqual(state, "found")
        const [seizure] = seizures.filter(({ kind }) => kind === "balance")
        assert.deepInclude(seizure, { certain: true, privileged: true })
        assert.deepStrictEqual(
          seizure?.guards.map(({ kind }) => kind),
          ["constant"]
        )
      })
    )

  for (const name of losing.possible)
    it.effect(`does not say of ${name} that nobody takes from those who send nothing`, () =>
      Effect.gen(function* () {
        assert.notStrictEqual((yield* read(name)).state, "none")
      })
    )

  for (const name of losing.none)
    it.effect(`finds nothing that is taken off others in ${name}`, () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* read(name)).state, "none")
      })
    )

  for (const name of reckoned)
    it.effect(`does not say of ${name} that nobody lowers what others have`, () =>
      Effect.gen(function* () {
        assert.notStrictEqual((yield* read(name)).state, "none")
      })
    )

  for (const name of giving.wrapping)
    it.effect(`does not say of ${name} that what is added leaves nobody with less`, () =>
      Effect.gen(function* () {
        const { powers, state } = yield* read(name)
        assert.deepStrictEqual([powers.mint.state, state], ["found", "unknown"])
      })
    )

  for (const name of giving.fitting)
    it.effect(`finds that what is added in ${name} fits`, () =>
      Effect.gen(function* () {
        const { powers, state } = yield* read(name)
        assert.deepStrictEqual([powers.mint.state, state], ["found", "none"])
      })
    )

  it.effect("does not take it for a loss that anybody has the index grow of which balances are parts", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* read("GrownByAnybody")).state, "none")
    })
  )

  it.effect("does not take for paid what sets the index of which balances are parts", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* read("PricedByAnybody")).powers.mint.state, "unknown")
    })
  )

  for (const [name, found] of Object.entries(besides))
    it.effect(
      `finds that a transfer of ${name} uses ${found.length === 0 ? "no power" : found.join(" and ")} besides`,
      () =>
        Effect.gen(function* () {
          const { powers } = yield* read(name)
          const used = (["mint", "seize", "bypass"] as const).filter((power) => powers[power].state === "found")
          assert.deepStrictEqual(used, found)
        })
    )

  for (const [name, known] of Object.entries(sharing))
    it.effect(`${known === undefined ? "finds nobody" : "finds somebody"} whom ${name} lets spend besides`, () =>
      Effect.gen(function* () {
        const { powers } = yield* read(name)
        assert.strictEqual(powers.bypass.state, known === undefined ? "none" : "found")
        assert.deepStrictEqual(
          powers.bypass.levers.flatMap(({ guards }) => guards.map(({ kind }) => kind)),
          known === undefined ? [] : [known]
        )
      })
    )

  it.effect("finds who stops an account by a bit of its balance's word, and nobody who is paid or pays", () =>
    Effect.gen(function* () {
      const { powers } = yield* read("PackedFreeze")
      const { selectors } = contract("PackedFreeze")
      assert.strictEqual(powers.blacklist.state, "found")
      const [lever, ...others] = powers.blacklist.levers
      assert.strictEqual(lever?.selector, selectors.get("freeze"))
      assert.lengthOf(others, 0)
    })
  )
})

describeCompiled(
  "BalanceSeizure of whole tokens",
  (pipeline) => {
    const contract = contracts(pipeline)

    const seizuresOf = (name: string) =>
      Effect.map(StorageFlow.analyse(contract(name).code), (flow) =>
        BalanceSeizure.of(flow).map(({ kind, selector }) => [kind, selector])
      )

    it.effect("finds the function that takes balances, and the transferFrom() that needs no allowance", () =>
      Effect.gen(function* () {
        const settle = contract("Clawback").selectors.get("settle")
        assert.deepStrictEqual(yield* seizuresOf("Clawback"), [["balance", settle]])
        assert.deepStrictEqual(yield* seizuresOf("AllowanceBypass"), [["bypass", Selectors.functions.transferFrom]])
      })
    )

    for (const name of ["Plain", "FixedBurnPermit", "Taxed", "Airdrop", "Vault"])
      it.effect(`finds no seizure in ${name}, which spends allowances only`, () =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* seizuresOf(name), [])
        })
      )
  },
  { of: ["optimised", "plain"] }
)

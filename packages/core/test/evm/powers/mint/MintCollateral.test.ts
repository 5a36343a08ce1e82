import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as TokenPowers from "../../../../src/evm/powers/TokenPowers.js"
import * as StorageFlow from "../../../../src/evm/summary/StorageFlow.js"
import { contracts, describeCompiled } from "../../Compiled.js"

const backed = {
  Vault: "deposits of a vault that rounds against whoever pays",
  PlainVault: "deposits of a vault whose first shares are its assets",
  Wrapper: "another token, one for one",
  DoubleWrapper: "another token, two for one",
  EtherSale: "ether at a price that stays",
  FlashMint: "what the same call burns again",
  FlashMintFee: "what the same call burns again or passes on",
  LendingMint: "what the same call burns again without an allowance"
}

const unbacked = {
  TiltedVault: "rounds down what is paid",
  WrappingVault: "lets the product wrap",
  PricedVault: "is told by its owner what a share is worth",
  ReportedVault: "is told by another contract what a share is worth",
  LeakyVault: "pays out what was paid to whoever asks",
  CheapExitVault: "pays out more than it takes off",
  LendingVault: "lets anybody use what was paid",
  ManagedVault: "lets its owner move what was paid",
  LooseWrapper: "makes another number than is paid",
  ScaledWrapper: "lets the caller say the rate",
  GenerousWrapper: "makes something for nothing",
  CheapWrapper: "takes nothing for little",
  SometimesWrapper: "asks for nothing on one way",
  ElsewhereWrapper: "has it paid to anybody",
  AnyWrapper: "has it paid in anything",
  MovedWrapper: "has it paid in what its owner says",
  UncheckedWrapper: "does not look whether it was paid",
  RefundingWrapper: "gives back what was paid",
  CollectedSale: "lets its owner take what was paid",
  ForwardedSale: "passes on what was paid",
  KeptFlashMint: "burns again only where it is told to",
  HalfFlashMint: "burns less than it makes",
  SupplyFlashMint: "puts the supply right and not the balance"
}

/** An older vault has a hundred ways out and more, of which those in code of the newer pipeline are too many to follow. */
const older = { optimised: "none", plain: "none", ir: "unknown" } as const

const weth = "c02aaa39b223fe8d0a0e5c4f27ead9083c756cc2"

const mintOf = (code: `0x${string}`) => Effect.map(StorageFlow.analyse(code), (flow) => TokenPowers.of(code, flow).mint)

describeCompiled("MintCollateral", (pipeline) => {
  const compiled = contracts(pipeline, "Mints.sol")
  const contract = (name: string, asset = weth) => {
    const found = compiled(name)
    const immutable = (value: string): string => `7f${value.padStart(64, "0")}`
    const code = found.code.replaceAll(immutable(""), immutable(asset)) as `0x${string}`
    return { ...found, code }
  }

  for (const [name, what] of Object.entries(backed))
    it.effect(`sees that ${name} makes nothing without ${what}`, () =>
      Effect.gen(function* () {
        const { levers, state } = yield* mintOf(contract(name).code)
        assert.deepStrictEqual([state, levers.length], ["none", 0])
      })
    )

  for (const name of ["Vault", "PlainVault", "Wrapper", "DoubleWrapper"])
    it.effect(`does not say that ${name} makes nothing where nothing is known of the token that it is paid in`, () =>
      Effect.gen(function* () {
        const { reasons, state } = yield* mintOf(contract(name, "1234567890123456789012345678901234567890").code)
        assert.deepStrictEqual([state, reasons], ["unknown", ["uncertain_lever"]])
      })
    )

  it.effect("follows all ways out of an older vault, or says that it did not", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* mintOf(contract("OlderVault").code)).state, older[pipeline])
    })
  )

  for (const [name, what] of Object.entries(unbacked))
    it.effect(`does not say that ${name} makes nothing: it ${what}`, () =>
      Effect.gen(function* () {
        const { reasons, state } = yield* mintOf(contract(name).code)
        assert.deepStrictEqual([state, reasons], ["unknown", ["uncertain_lever"]])
      })
    )

  it.effect(
    "knows that a transfer with a loop of countless paths mints nothing, and doubts one that credits in it",
    () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* mintOf(contract("LoopedTransfer").code)).state, "none")
        const { reasons, state } = yield* mintOf(contract("LoopedMaker").code)
        assert.deepStrictEqual([state, reasons], ["unknown", ["uncertain_transfer"]])
      })
  )

  it.effect("finds the owner of a vault who makes shares for nothing", () =>
    Effect.gen(function* () {
      const { code, selectors } = contract("UnbackedVault")
      const { levers, state } = yield* mintOf(code)
      assert.deepStrictEqual(
        [state, levers.map(({ certain, privileged, selector }) => [selector, certain, privileged])],
        ["found", [[selectors.get("accrue"), true, true]]]
      )
    })
  )
})

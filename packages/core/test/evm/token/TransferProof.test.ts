import { readdirSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import * as Draw from "../../../../../test/Draw.js"
import * as Tier from "../../../../../test/Tier.js"
import * as Quantity from "../../../src/domain/Quantity.js"
import * as Bytecode from "../../../src/evm/bytecode/Bytecode.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as CodeModel from "../../../src/evm/interpreter/CodeModel.js"
import * as TransferProof from "../../../src/evm/token/TransferProof.js"
import * as StoredVariable from "../../../src/facts/code/StoredVariable.js"
import * as Getter from "../../../src/facts/Getter.js"
import * as Slices from "../../../src/runtime/Slices.js"
import * as Fixture from "../../Fixture.js"
import { contracts, describeCompiled, pipelines } from "../Compiled.js"
import * as Concrete from "../Concrete.js"

const { functions } = Selectors

const proofOf = (code: `0x${string}`): TransferProof.TransferProof =>
  Slices.complete(TransferProof.inSlices(CodeModel.of(code)))

const summary = (proof: TransferProof.TransferProof): string =>
  proof.state === "gated"
    ? [...new Set(proof.gates.map(({ kind }) => kind))].sort().join(", ")
    : proof.state === "inconclusive"
      ? proof.reason
      : proof.state

/** What is proven of each contract in FreeTransfers.sol. */
const expected: Readonly<Record<string, string>> = {
  Checked: "free",
  Cautious: "free",
  Silent: "free",
  Counting: "free",
  Bounded: "free",
  WholeRefused: "balance",
  WalletBounded: "free",
  UnitFee: "balance, fee",
  TruncatedKey: "fee, list",
  MemoryByAmount: "cost",
  MemoryForOthers: "cost",
  HashForOthers: "cost",
  ReturnDataForOthers: "cost",
  OtherBalance: "fee, list",
  ZeroForOthers: "no_balances",
  ApprovedForKeeper: "fee",
  ApprovedInPart: "fee",
  OtherAllowance: "list",
  DoubleSpent: "balance, fee",
  ClearedAllowance: "balance, fee",
  SaysFalse: "answer",
  GasAsked: "environment",
  TimeAsked: "environment",
  OriginAsked: "caller, environment",
  CodeAsked: "account",
  PairNamed: "amount, caller",
  Listed: "list",
  Endless: "too_many_paths",
  Costly: "cost",
  WrittenAnywhere: "write_location",
  WrittenElsewhere: "fee, list",
  WrittenBySelf: "fee",
  StaleSum: "fee",
  Unchecked: "fee",
  SwappedHash: "fee, list",
  PaidFor: "amount",
  Called: "external_call",
  Destroyed: "replaceable",
  Delegating: "replaceable",
  Transient: "cost",
  NewInstruction: "cost"
}

describeCompiled("TransferProof", (pipeline) => {
  const contract = contracts(pipeline, "FreeTransfers.sol")
  it.each(Object.entries(expected))("of %s is %s", (name, proven) => {
    assert.strictEqual(summary(proofOf(contract(name).code)), proven)
  })

  it("of tokens with votes is free while nobody has a delegate, and not where delegates are a list or a balance", () => {
    const proof = proofOf(contract("Voting").code)
    assert.strictEqual(proof.state === "free_undelegated" ? proof.mapping : summary(proof), "0x4[k]")
    for (const name of ["ListingBuyers", "BalancesAsDelegates"] as const)
      assert.notInclude(["free", "free_undelegated"], proofOf(contract(name).code).state, name)
  })

  it("of tokens with a list of holders is free among them, where nobody else takes part", () => {
    for (const name of ["Members", "Presale", "WrongBuyer", "LateList", "Paid"] as const)
      assert.deepStrictEqual(proofOf(contract(name).code), {
        state: "free_listed",
        below: Quantity.make(1n << 256n),
        mapping: "0x3[k]",
        balances: "0x1[k]"
      })
    for (const name of ["MembersSend", "MembersReceive", "EitherMember", "OthersPay", "Once", "TwoRights"] as const)
      assert.strictEqual(proofOf(contract(name).code).state, "gated", name)
  })

  it("names the least amount that a token refuses", () => {
    const proof = proofOf(contract("Bounded").code)
    assert.deepStrictEqual(proof, { state: "free", below: Quantity.make(1n << 96n) })
  })
})

/** A random number generator that gives the same numbers at every run. */
const makeRandom = (seed: number) => {
  let state = seed
  const below = (most: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >>> 8) % most
  }
  const bits = (count: number): bigint => {
    let value = 0n
    for (let i = 0; i < count; i += 16) value = (value << 16n) | BigInt(below(1 << 16))
    return value & ((1n << BigInt(count)) - 1n)
  }
  return { below, bits }
}

type Random = ReturnType<typeof makeRandom>

/** Values for which codes make exceptions, and any others. */
const anyWord = (random: Random): bigint =>
  [0n, 1n, (1n << 256n) - 1n, 1n << 255n, random.bits(8), random.bits(32), random.bits(160), random.bits(256)][
    random.below(8)
  ] as bigint

const encoded = (selector: string, ...words: ReadonlyArray<bigint>): Uint8Array =>
  new Uint8Array([...Buffer.from(selector.slice(2), "hex"), ...words.flatMap((value) => [...Concrete.toWord(value)])])

const addressOf = (random: Random, constants: ReadonlyArray<bigint>): bigint =>
  (random.below(3) === 0 ? constants[random.below(constants.length)] : undefined) ?? (1n << 159n) + random.bits(150)

/** Whether transfers of a code that is proven free do exactly what they should in one state of everything. */
const failureOf = (
  code: Bytecode.Bytecode,
  { below: limit, ...proof }: Extract<TransferProof.TransferProof, { readonly below: unknown }>,
  random: Random
): string | undefined => {
  const below = BigInt(limit)
  const constants = Bytecode.addressConstants(code).map(BigInt)
  const self = (3n << 156n) + random.bits(150)
  const [from, to, spender] = [0, 1, 2].map(() => addressOf(random, constants)) as [bigint, bigint, bigint]
  if (from === to || spender === from) return undefined
  const storage = new Map<bigint, bigint>()
  if (proof.state !== "free")
    for (const account of [from, to]) {
      const slot = StoredVariable.slotOf(proof.mapping, [Getter.word(account)])
      storage.set(BigInt(Option.getOrThrow(slot)), proof.state === "free_undelegated" ? 0n : 1n)
    }
  const time = 1_700_000_000n + random.bits(24)
  const run = (caller: bigint, calldata: Uint8Array) => {
    const done = Concrete.run({
      code,
      calldata,
      caller,
      value: 0n,
      time,
      self,
      guess: (what, slot) => {
        if (what !== "variable" || slot === undefined) return anyWord(random)
        const known = storage.get(slot) ?? anyWord(random)
        storage.set(slot, known)
        return known
      }
    })
    for (const { after, slot } of done?.stores ?? []) storage.set(slot, after)
    return done
  }
  /** The slot that balanceOf returns, found by a second call with another number in it. */
  const slotOf = (account: bigint): bigint | undefined => {
    const asked = run(1n, encoded(functions.balanceOf, account))
    return [...(asked?.held.keys() ?? [])].find((slot) => {
      const before = storage.get(slot) ?? 0n
      const mark = random.bits(256)
      storage.set(slot, mark)
      const answer = run(1n, encoded(functions.balanceOf, account))
      storage.set(slot, before)
      return answer !== undefined && Concrete.word(answer.returned, 0) === mark
    })
  }
  const [debit, credit] = [slotOf(from), slotOf(to)]
  if (debit === undefined || credit === undefined || debit === credit) return "balanceOf does not answer one slot"
  const approved = run(from, encoded(functions.approve, spender, 1n))
  if (approved === undefined) return "approve failed"
  const allowance = approved.stores[0]?.slot as bigint
  const most = below / 2n - 1n
  const [has, gets] = [1n + (random.bits(256) % most), random.bits(random.below(2) === 0 ? 90 : 256) % most]
  const amount = [1n, has, 1n + (random.bits(256) % has)][random.below(3)] as bigint
  storage.set(debit, has)
  storage.set(credit, gets)
  storage.set(allowance, random.below(2) === 0 ? (1n << 256n) - 1n : amount)
  const before = storage.get(allowance) as bigint
  const [caller, calldata, left] =
    random.below(2) === 0
      ? [from, encoded(functions.transfer, to, amount), before]
      : [spender, encoded(functions.transferFrom, from, to, amount), before - amount]
  const done = run(caller, calldata)
  if (done === undefined) return "a transfer failed"
  if (done.returned.length > 0 && Concrete.word(done.returned, 0) !== 1n) return "it did not return true"
  if (storage.get(debit) !== has - amount || storage.get(credit) !== gets + amount) return "another amount moved"
  const kept = storage.get(allowance)
  return kept === left || kept === before ? undefined : "another allowance was left"
}

describe("TransferProof", () => {
  it("of every test contract is what concrete transfers do, in any state of its other variables", {
    timeout: 600_000
  }, () => {
    const files = readdirSync(new URL("../contracts", import.meta.url)).filter((name) => name.endsWith(".sol"))
    const drawn = Draw.portion(files, 3)
    const seen = new Set<string>()
    let runs = 0
    for (const [index, file] of drawn.entries()) {
      for (const pipeline of Tier.all ? pipelines : [pipelines[index % pipelines.length] ?? "optimised"]) {
        for (const [name, code] of Fixture.codes("evm/contracts", file, pipeline)) {
          const proof = proofOf(code)
          if (seen.has(code) || proof.state === "gated" || proof.state === "inconclusive") continue
          seen.add(code)
          const random = makeRandom(seen.size)
          for (let i = 0; i < (Tier.all ? 40 : 8); i++) {
            runs++
            assert.strictEqual(failureOf(Bytecode.parse(code), proof, random), undefined, `${file} ${name} ${pipeline}`)
          }
        }
      }
    }
    assert.isAbove(seen.size, Tier.landing ? 50 : 15)
    assert.isAbove(runs, seen.size * 7)
  })
})

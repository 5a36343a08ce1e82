import { assert, describe, it } from "@effect/vitest"
import * as Bytecode from "../../../src/evm/bytecode/Bytecode.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as CodeModel from "../../../src/evm/interpreter/CodeModel.js"
import * as FunctionRun from "../../../src/evm/interpreter/FunctionRun.js"
import * as PathTree from "../../../src/evm/interpreter/PathTree.js"
import * as Slices from "../../../src/runtime/Slices.js"
import { artifact } from "../Compiled.js"

const code = artifact("openzeppelin-contracts-4/build/contracts/ERC20PresetMinterPauser.json")
const { balanceOf, transfer, transferFrom } = Selectors.functions

const all = <A>(slices: Slices.Slices<A>): A => Slices.complete(slices)

describe("CodeModel", () => {
  it("runs a function as it is run by itself, in both modes", () => {
    const model = CodeModel.of(code)
    const bytecode = Bytecode.parse(code)
    const { maxSteps } = CodeModel.bounds.paths
    const pairs = [
      [all(model.run(transfer)), all(FunctionRun.of(bytecode, transfer, CodeModel.bounds.function.maxSteps))],
      [all(model.paths(transfer)), all(PathTree.of(bytecode, transfer, { maxSteps }))]
    ] as const
    for (const [kept, alone] of pairs) {
      assert.strictEqual(kept.trace.steps, alone.trace.steps)
      assert.strictEqual(kept.trace.blocks.length, alone.trace.blocks.length)
      assert.strictEqual(kept.pool.size(), alone.pool.size())
    }
  })

  it("runs a function once within the same bounds, however often it is requested", () => {
    const model = CodeModel.of(code)
    assert.strictEqual(all(model.run(transfer)), all(model.run(transfer)))
    assert.strictEqual(all(model.paths(transfer)), all(model.paths(transfer)))
    assert.notStrictEqual(all(model.paths(transfer)).pool, all(model.run(transfer)).pool)
    assert.notStrictEqual(all(model.paths(transfer)), all(model.paths(transferFrom)))
  })

  it("answers with less what was followed to its end, and follows again what was not", () => {
    const model = CodeModel.of(code)
    const within = all(model.paths(transfer))
    assert.isTrue(within.trace.complete)
    assert.strictEqual(all(model.paths(transfer, CodeModel.bounds.vault)), within)
    assert.notStrictEqual(all(model.paths(transfer, CodeModel.bounds.timelock)), within)
    const cut = all(model.paths(transferFrom, { maxSteps: 100 }))
    assert.isFalse(cut.trace.complete)
    assert.isTrue(all(model.paths(transferFrom)).trace.complete)
    assert.strictEqual(all(model.paths(transferFrom, { maxSteps: 100 })), cut)
  })

  it("gives concurrent callers the same run, also where one of them is interrupted", () => {
    const model = CodeModel.of(code)
    const [first, second] = [model.paths(transfer), model.paths(transfer)]
    assert.isFalse(first.next().done)
    second.next()
    first.return(all(model.paths(balanceOf)))
    const tree = all(second)
    assert.isTrue(tree.trace.complete)
    assert.strictEqual(all(model.paths(transfer)), tree)
  })

  it("begins with formulas of its own, so that no answer depends on earlier runs", () => {
    const model = CodeModel.of(code)
    all(model.run(transfer))
    all(model.paths(transfer))
    const [one, other] = [model.begin(), model.begin()]
    assert.notStrictEqual(one.pool, other.pool)
    assert.strictEqual(one.pool.size(), CodeModel.of(code).begin().pool.size())
  })

  it("takes no more memory than a bound, whatever is requested", () => {
    const model = CodeModel.of(code)
    const empty = model.bytes()
    const perRun = (kept: ReadonlyArray<number>): number => Math.max(...kept) - empty
    const kept = Array.from({ length: 300 }, (_, i) => {
      all(model.paths(transferFrom, { maxSteps: 2_000 + i }))
      return model.bytes()
    })
    assert.isAbove(300 * ((kept[0] ?? 0) - empty), 2 * perRun(kept))
    assert.isBelow(model.bytes(), empty + 16 * 1024 * 1024)
  })
})

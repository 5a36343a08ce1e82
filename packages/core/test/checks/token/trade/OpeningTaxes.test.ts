import { Head } from "@assay/sandbox"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { numberToHex } from "viem"
import { tradeTax } from "../../../../src/checks/token/trade/TradeTax.js"
import * as Address from "../../../../src/domain/Address.js"
import * as Adversaries from "../../../facts/Adversaries.js"
import { pinned, Running, running } from "../../../facts/SandboxState.js"
import * as Facts from "../../Facts.js"

// Tokens that tax what moves at their opening, and ever less from then on.

layer(running)("the tax of an opening, on a chain", (it) => {
  const judged = (token: string) =>
    Effect.gen(function* () {
      const sandbox = yield* Running
      const [tax] = yield* Facts.evaluate([tradeTax], {
        kind: "token",
        address: Address.checksum(token as `0x${string}`),
        chain: { id: sandbox.chainId, name: "sandbox" }
      })
      return { state: tax?.state, severity: tax?.severity, detail: tax?.detail ?? "" }
    }).pipe(Effect.provide(Facts.layer), Effect.provide(pinned()))

  /** What is said some seconds after the launch, with a block every two of them where `blocks` count. */
  const at = (name: Adversaries.Name, ages: ReadonlyArray<number>, counts: "seconds" | "blocks" = "seconds") =>
    Effect.gen(function* () {
      const sandbox = yield* Running
      const token = yield* Effect.promise(() => Adversaries.launch(sandbox, name))
      const { timestamp: launched } = yield* Effect.promise(() => Head.read(sandbox.rpc))
      const found = []
      let before = 0
      for (const age of ages) {
        const times =
          counts === "seconds" ? [age] : Array.from({ length: (age - before) / 2 }, (_, i) => before + 2 * i + 2)
        for (const time of times.filter((seconds) => seconds > before))
          yield* Effect.promise(() =>
            sandbox.rpc.batch([
              { method: "evm_setNextBlockTimestamp", params: [numberToHex(launched + time)] },
              { method: "evm_mine", params: [] }
            ])
          )
        before = age
        found.push(yield* judged(token))
      }
      return found
    })

  it.effect("is confirmed with what it falls to at the launch and within, and no more when it is over", () =>
    Effect.gen(function* () {
      for (const [name, ages, counts] of [
        ["OpeningSeconds", [0, 4, 60], "seconds"],
        ["OpeningMinutes", [0, 300, 700], "seconds"],
        ["OpeningBlocks", [0, 8, 60], "blocks"]
      ] as const) {
        const [launch, within, after] = yield* at(name, ages, counts)
        for (const said of [launch, within]) {
          assert.strictEqual(said?.state, "confirmed", `${name}: ${said?.detail}`)
          assert.include(["high", "critical"], said?.severity, name)
          assert.match(said?.detail ?? "", /falls from one to the next, to \d+\.\d\d %/, name)
        }
        assert.strictEqual(launch?.severity, "critical", name)
        assert.notStrictEqual(after?.state, "confirmed", `${name}: ${after?.detail}`)
      }
    })
  )

  it.effect("is never low while it is in force, for sales alone or as a curve without an end either", () =>
    Effect.gen(function* () {
      for (const [name, ages] of [
        ["OpeningSeconds", [8, 14]],
        ["OpeningSales", [0, 10]],
        ["OpeningCurve", [0, 600]]
      ] as const)
        for (const { detail, severity, state } of yield* at(name, ages)) {
          assert.notStrictEqual(state, "refuted", `${name}: ${detail}`)
          if (state === "confirmed") assert.include(["high", "critical"], severity, `${name}: ${detail}`)
        }
    })
  )
})

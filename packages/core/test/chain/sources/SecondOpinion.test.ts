import { FetchHttpClient } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Option } from "effect"
import type { ChainError } from "../../../src/chain/ChainError.js"
import * as Chains from "../../../src/chain/Chains.js"
import * as GoPlus from "../../../src/chain/sources/GoPlus.js"
import { layerDisabled, type Opinions, SecondOpinion, tokenClaims } from "../../../src/chain/sources/SecondOpinion.js"
import * as Address from "../../../src/domain/Address.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Timestamp from "../../../src/domain/Timestamp.js"
import * as Recorded from "../Recorded.js"
import * as FakeService from "./FakeService.js"

const address = Address.checksum(`0x${"ab".repeat(20)}`)

const at = {
  chain: Chains.make({ id: 56, endpoints: ["http://127.0.0.1:1"] }),
  block: { number: 1, hash: `0x${"b1".repeat(32)}` as Hex, timestamp: Timestamp.fromMillis(0) }
}

const word = Option.match({ onNone: () => "?", onSome: (yes: boolean) => (yes ? "yes" : "no") })

const told = (question: "token" | "account", url: string): Effect.Effect<unknown> =>
  Effect.gen(function* () {
    const service = yield* SecondOpinion
    const answer: Effect.Effect<Option.Option<{ readonly value: Opinions<string> }>, ChainError> = service[question](
      at,
      address
    )
    return Either.match(yield* Effect.either(answer), {
      onLeft: ({ detail, reason }): unknown => `${reason}: ${detail}`,
      onRight: Option.match({
        onNone: (): unknown => "not covered",
        onSome: ({ value }) => Object.fromEntries(Object.entries(value).map(([claim, said]) => [claim, word(said)]))
      })
    })
  }).pipe(Effect.provide(GoPlus.layer({ url })), Effect.provide(FetchHttpClient.layer))

describe("GoPlus", () => {
  it.scoped("says of a token what it says, and nothing where it says nothing: never a default", () =>
    Effect.gen(function* () {
      const fields = {
        is_honeypot: "1",
        is_mintable: undefined,
        transfer_pausable: "",
        is_blacklisted: "-1",
        owner_change_balance: 0,
        slippage_modifiable: null,
        hidden_owner: "0"
      }
      const service = yield* FakeService.start(() => ({ body: Recorded.goplus.token(address, fields) }))
      assert.deepStrictEqual(yield* told("token", service.url), {
        honeypot: "yes",
        mintable: "?",
        pausable: "?",
        blacklistable: "?",
        balances_seizable: "?",
        tax_changeable: "?",
        hidden_control: "no",
        reclaimable: "no"
      })
      assert.deepInclude(service.requests[0], {
        path: "/api/v1/token_security/56",
        query: { contract_addresses: address }
      })
    })
  )

  it.scoped("says of an account what it is accused of", () =>
    Effect.gen(function* () {
      const service = yield* FakeService.start(() => ({
        body: Recorded.goplus.account({ phishing_activities: "1", mixer: "1", sanctioned: "" })
      }))
      const said = (yield* told("account", service.url)) as Record<string, string>
      assert.deepInclude(said, { phishing_activities: "yes", sanctioned: "?", cybercrime: "no" })
      assert.notProperty(said, "mixer")
      assert.deepInclude(service.requests[0], {
        path: `/api/v1/address_security/${address}`,
        query: { chain_id: "56" }
      })
    })
  )

  const silence = Object.fromEntries(tokenClaims.map((claim) => [claim, "?"]))
  const limited = "rate_limited: it takes no more requests for now"
  const cases: ReadonlyArray<readonly [string, FakeService.Reply, unknown]> = [
    ["a token that it does not know", { body: { code: 1, message: "OK", result: {} } }, silence],
    ["no result", { body: Recorded.goplus.code(1, "OK") }, silence],
    ["another token's fields", { body: Recorded.goplus.token(`0x${"cd".repeat(20)}`, { is_honeypot: "0" }) }, silence],
    ["a token without information", { body: Recorded.goplus.code(2021, "No info for this contract") }, silence],
    ["too many requests", { body: Recorded.goplus.code(4029, "too many requests") }, limited],
    ["a chain that it does not cover", { body: Recorded.goplus.code(2022, "Non-supported chainId") }, "not covered"],
    [
      "an error of its own",
      { body: Recorded.goplus.code(5000, "System error") },
      "source_unavailable: its answer is not what its documentation says"
    ],
    ["nothing", { body: "{}" }, "source_unavailable: its answer is not what its documentation says"]
  ]
  for (const [what, reply, expected] of cases)
    it.scoped(`${what} is read as ${JSON.stringify(expected)}`, () =>
      Effect.gen(function* () {
        const service = yield* FakeService.start(() => reply)
        assert.deepStrictEqual(yield* told("token", service.url), expected)
      })
    )

  it.effect("sends readers to its page of the token", () =>
    Effect.gen(function* () {
      const { tokenPage } = yield* SecondOpinion
      assert.strictEqual(tokenPage(at, address), `https://gopluslabs.io/token-security/56/${address}`)
    }).pipe(Effect.provide(GoPlus.layer()), Effect.provide(FetchHttpClient.layer))
  )
})

describe("SecondOpinion", () => {
  it.effect("says nothing where it is disabled, and says that it is", () =>
    Effect.gen(function* () {
      const service = yield* SecondOpinion
      const reasons = yield* Effect.all([
        Effect.flip(Effect.asVoid(service.token(at, address))),
        Effect.flip(Effect.asVoid(service.account(at, address)))
      ])
      assert.deepStrictEqual(
        reasons.map(({ reason }) => reason),
        ["source_disabled", "source_disabled"]
      )
    }).pipe(Effect.provide(layerDisabled))
  )
})

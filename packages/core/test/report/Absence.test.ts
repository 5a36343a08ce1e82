import { assert, describe, it } from "@effect/vitest"
import * as Checks from "../../src/checks/Checks.js"
import * as ClaimSentences from "../../src/domain/ClaimSentences.js"
import type { Evidence } from "../../src/domain/Evidence.js"
import * as Absence from "../../src/report/Absence.js"

const account = "0x29fcB43b46531BcA003ddC8FCB67FFE91900C762"

const refuted = (id: string, detail: string, title = "The token is rich"): Evidence => ({
  id,
  version: 1,
  category: "control",
  polarity: "risk",
  severity: "high",
  state: "refuted",
  title,
  detail,
  value: null,
  verified: true,
  reason: null,
  controller: null,
  source_url: "https://explorer.example",
  observation: null
})

describe("Absence", () => {
  it.each([
    ["control.reclaimable", "only the owner can change the owner", "Only the owner can transfer ownership"],
    ["token.mintable", "no function increases the supply", "No account can increase the supply"],
    [
      "token.external-call-in-transfer",
      "no code path of transfer or transferFrom calls another contract",
      "Transfers call no other contract"
    ]
  ])("says once what the detail of %s only says again", (id, detail, text) => {
    assert.strictEqual(Absence.of(refuted(id, detail)), text)
  })

  it.each([
    [
      "liquidity.fake-pool",
      "2 of 2 pools were created by their factories",
      "Its known pools are genuine (2 of 2 pools were created by their factories)"
    ],
    [
      "token.mintable",
      "no account can call 0x40c10f19",
      "No account can increase the supply (no account can call 0x40c10f19)"
    ],
    [
      "trade.holders-blocked",
      "the code proves that no rule of the token stops or taxes a transfer; not decided by behaviour: too few holders",
      "At most 10 % of sampled holders are stopped from selling or transferring (the code proves that no rule of the token stops or taxes a transfer)"
    ],
    [
      "proxy.upgraded-recently",
      "no upgrade or admin event since block 0 (upgrade path uups)",
      "No upgrade and no change of admin was seen in the last 30 days: no upgrade or admin event since block 0 (upgrade path uups)"
    ]
  ])("keeps the figures, the names and the proof in the detail of %s", (id, detail, text) => {
    assert.strictEqual(Absence.of(refuted(id, detail)), text)
  })

  it.each([
    ["safe.unknown-singleton", `Safe published the singleton ${account}`, account],
    ["wallet.sanctioned", `the sanctions oracle ${account} does not list the wallet`, account],
    ["proxy.implementation-missing", `code at ${account}, ${account} and 1 more`, `${account}, ${account} and 1 more`]
  ])("keeps the addresses alone where the rest of the detail of %s says it again", (id, detail, kept) => {
    assert.strictEqual(Absence.of(refuted(id, detail)), `${ClaimSentences.all[id]?.absent} (${kept})`)
  })

  it.each([
    ["trade.holders-blocked", "9 of 9 sampled holders can sell or transfer: now, in 30 days and in a year"],
    ["opinion.honeypot", "GoPlus reports that the token can be sold"]
  ])("takes the detail of %s where it says all of it in figures or by name", (id, detail) => {
    assert.strictEqual(Absence.of(refuted(id, detail)), detail)
  })

  it("says of a claim of others that it is not so", () => {
    assert.strictEqual(Absence.of(refuted("acme.rich", "it has 7 wei")), "not so: the token is rich (it has 7 wei)")
    assert.strictEqual(Absence.of(refuted("acme.rich", "nothing was found")), "not so: the token is rich")
  })

  it("says of a claim of others what its rule says is true, and never another sentence of a claim of this library", () => {
    const said = new Map([
      ["acme.rich", { absent: "The token is not rich", recommendation: null }],
      ["token.mintable", { absent: "All is well", recommendation: null }]
    ])
    assert.strictEqual(
      Absence.of(refuted("acme.rich", "it has 7 wei"), { said }),
      "The token is not rich (it has 7 wei)"
    )
    assert.strictEqual(
      Absence.of(refuted("token.mintable", "no function increases the supply"), { said }),
      "No account can increase the supply"
    )
  })

  it("says of every claim of this library what is true, and never that it is not so", () => {
    for (const { claim, id } of [...Checks.all, ...Checks.optional])
      if (ClaimSentences.all[id]?.absent !== null)
        assert.notMatch(Absence.of(refuted(id, "nothing was found", claim)), /not so|not the case/i)
  })
})

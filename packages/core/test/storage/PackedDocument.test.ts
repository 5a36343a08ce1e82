import { assert, describe, it } from "@effect/vitest"
import { Array, Effect, Either, Option } from "effect"
import * as CanonicalJson from "../../src/domain/CanonicalJson.js"
import type { Hex } from "../../src/domain/Hex.js"
import * as SceneSeed from "../../src/domain/SceneSeed.js"
import * as BlockTemplate from "../../src/storage/BlockTemplate.js"
import * as PackedDocument from "../../src/storage/PackedDocument.js"
import * as CheckedToken from "../../src/testing/CheckedToken.js"
import * as Documents from "../../src/testing/Documents.js"
import * as TickingClock from "../TickingClock.js"

const target = Documents.token(7)
const hashOf = (text: string): Hex => CanonicalJson.hash(text)

/** A check of a token, with what simulated trades derive from the block in its recipes. */
const check = (number: number, extra: object = {}): PackedDocument.Texts => {
  const { block, evidence, recipes } = CheckedToken.analysis(target, number, 0)
  return {
    document: JSON.stringify({ address: target.address, block, evidence, recipes, ...extra }),
    known: JSON.stringify(Object.fromEntries(evidence.map((item) => [item.id, item]))),
    reported: "{}"
  }
}

/** The accounts in a document that an earlier engine would not have had: those without a zero byte in place of one. */
const newAccounts = (document: string): ReadonlyArray<Hex> => {
  const { block } = JSON.parse(document) as { readonly block: { readonly hash: Hex } }
  const seed = { token: target.address, blockHash: block.hash }
  return Array.range(0, SceneSeed.accounts.holderReader)
    .filter((index) => SceneSeed.account(seed, index).toLowerCase() !== SceneSeed.accountWithZeroBytes(seed, index))
    .map((index) => SceneSeed.account(seed, index))
    .filter((account) => document.toLowerCase().includes(account.slice(2).toLowerCase()))
}

const whole = (texts: PackedDocument.Texts): Uint8Array => {
  const packed = Either.getOrThrow(PackedDocument.pack<number>(texts, Option.none()))
  assert(packed._tag === "Whole")
  return packed.body
}
const against = (body: Uint8Array, texts: PackedDocument.Texts) =>
  Either.getOrThrow(PackedDocument.pack(texts, Option.some({ id: 1, body })))
const patched = (body: Uint8Array, texts: PackedDocument.Texts): Uint8Array => {
  const packed = against(body, texts)
  assert(packed._tag === "Patched")
  return packed.patch
}

describe("PackedDocument", () => {
  it("restores every text byte for byte, whole and as a patch", () => {
    const body = whole(check(21_000_000))
    assert.deepStrictEqual(PackedDocument.unpack(body, null), check(21_000_000))
    for (const texts of [
      check(21_000_300),
      check(21_000_000),
      check(21_000_301, { title: "äöü “𝔘” \u0001 \u007f line\nbreak" }),
      check(21_000_301, { title: "\u007fA12\u007f looks like a symbol" }),
      check(21_000_302, { recipes: [{ method: "eth_call", params_hash: hashOf("not of these"), params: [1] }] }),
      check(21_000_303, { recipes: "none" }),
      check(21_000_304, { 2: "out of order", 1: "of its keys" })
    ]) {
      const packed = against(body, texts)
      const restored =
        packed._tag === "Whole" ? PackedDocument.unpack(packed.body, null) : PackedDocument.unpack(body, packed.patch)
      assert.deepStrictEqual(restored, texts)
    }
  })

  it.effect("packs the same in turns, and the event loop comes round between its steps", () =>
    Effect.gen(function* () {
      const texts = check(21_000_300)
      const body = whole(check(21_000_000))
      const counter = { turns: 0, immediate: setImmediate(() => {}) }
      const count = () => {
        counter.turns++
        counter.immediate = setImmediate(count)
      }
      count()
      const clock = TickingClock.make(2_000_000n)
      const inTurns = yield* Effect.withClock(PackedDocument.packInTurns(texts, Option.some({ id: 1, body })), clock)
      clearImmediate(counter.immediate)
      assert.deepStrictEqual(inTurns, against(body, texts))
      assert.isAtLeast(counter.turns, 3)
      const failed = yield* Effect.flip(PackedDocument.packInTurns({ ...texts, known: "[]" }, Option.none()))
      assert.strictEqual(failed._tag, "ParseError")
    })
  )

  it("stores nothing that follows from the block but the block itself, and accounts that earlier engines did not have", () => {
    const checks = Array.makeBy(12, (blocks) => check(21_000_300 + blocks))
    const isKnownEarlier = ({ document }: PackedDocument.Texts) => newAccounts(document).length === 0
    const [others, [base, ...known]] = Array.partition(checks, isKnownEarlier)
    assert(base !== undefined && known.length > 0 && others.length > 0)
    const body = whole(base)
    // The block takes 41 bytes, the one answer that is new 32, format and check 9; the rest says where they are.
    for (const texts of known) assert.isAtMost(patched(body, texts).length, 150)
    // An account is written as it is and among arguments, in capital and in small letters.
    for (const texts of others)
      assert.isAtMost(patched(body, texts).length, 150 + 80 * newAccounts(texts.document).length)
  })

  it("packs accounts by the rule of earlier engines alone, so that a process of an earlier version reads them", () => {
    for (let number = 21_000_300; number < 21_000_312; number++) {
      const text = BlockTemplate.make(check(number).document)?.text ?? ""
      const kinds = new Set([...text.matchAll(/\u007f([A-Za-z])[0-9a-f]*\u007f/g)].map(([, kind]) => kind))
      assert.include([...kinds], "A")
      assert.isEmpty([...kinds].filter((kind) => !/[AaBDHNRST]/.test(kind ?? "")))
    }
  })

  it("takes the second check of a target as the base, which compares with the first one as all later ones do", () => {
    const report = (status: string, number: number) => ({
      change_report: { format_version: "1.0", status, base: { block: number, hash: hashOf(`block ${number}`) } }
    })
    const first = whole(check(100, report("baseline", 0)))
    assert.strictEqual(against(first, check(101, report("baseline", 0)))._tag, "Patched")
    const second = against(first, check(101, report("unchanged", 100)))
    assert(second._tag === "Whole")
    assert.strictEqual(against(second.body, check(102, report("unchanged", 101)))._tag, "Patched")
  })

  it("reads what was packed before templates, and takes a new base for the next check", () => {
    const at = (block: number): PackedDocument.Texts => {
      const hash = `0x${String(block).repeat(16)}`
      const timestamp = `2026-11-21T12:00:0${block % 10}.000Z`
      const minted = { id: "token.mint", state: "confirmed", block, detail: "The owner can mint." }
      const evidence = [minted, { id: "token.fee", state: "unknown" }]
      const document = {
        address: "0x948B3c65b89DF0B4894ABE91E6D02FE579834F8F",
        block: { number: block, hash, timestamp },
        evidence
      }
      return { document: JSON.stringify(document), known: JSON.stringify({ "token.mint": minted }), reported: "{}" }
    }
    const body = Buffer.from(
      "G1MBAMSszTxG3awOTAI9jioUii+13rYjYN4HOJkMNhpgIIGGRZx1cSDpDQvlOA1rbvpDzXco+J2FaRHM4miaZlXDRZhmYV7UmdRxxX5TR0mWBmGTNiD0S+gPqA1UmIWgCYJD72YOgooNipN+dkVcX1rxlVlZPGbuYAnUbKC9HzZzKARy9Q6b4x2E231yX0Dx4WG6HhbzDXhueYYAGe16YdRZZjY5GojVgyXccblYhFB7gh1Yp9cb0M8OnJ8F",
      "base64"
    )
    const patch = Buffer.from("AV6VQCRGbPtbG1MA+I3UWi027wLdGB8iZhFLfyrWZMLI4JUkVwUAadO5B9QrTDYR", "base64")
    assert.deepStrictEqual(PackedDocument.unpack(body, null), at(1001))
    assert.deepStrictEqual(PackedDocument.unpack(body, patch), at(1002))
    assert.strictEqual(PackedDocument.unpackDocument(body, patch), at(1002).document)
    assert.strictEqual(against(body, at(1003))._tag, "Whole")
  })

  it("throws where body or patch is damaged, is of a later format, or belongs to another base", () => {
    const body = whole(check(21_000_000))
    const patch = patched(body, check(21_000_300))
    const damaged = Uint8Array.from(patch)
    damaged[4] = (damaged[4] ?? 0) ^ 1
    const later = Uint8Array.from(patch)
    later[0] = 3
    for (const [from, by] of [
      [body, damaged],
      [body, later],
      [whole(check(21_000_001, { title: "another" })), patch],
      [body.subarray(0, 40), null]
    ] as const)
      assert.throws(() => PackedDocument.unpack(from, by))
  })
})

import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as Confusables from "../../../../src/checks/token/identity/Confusables.js"
import { listed } from "../../../data/Books.js"

const anyText = FastCheck.string({ unit: "binary" })

/** Letters that have one form in each case; some others change their number with it, as ß does. */
const letters = FastCheck.string({
  unit: FastCheck.constantFrom(
    ..."abcdefghijklmnopqrstuvwxyz0123456789 .-_$|!éüñ",
    ..."абвгдежзийклмнопрстуфхцчшщъыьэюяѕіјԛԝ",
    ..."αβγδεζηθικλμνξοπρστυφχψω"
  )
})

describe("Confusables.fold", () => {
  it.each([
    ["case", "UsDc", "usdc"],
    ["wide letters", "ＵＳＤＣ", "usdc"],
    ["mathematical letters", "𝐔𝕊𝖣𝙲", "usdc"],
    ["letters in circles", "Ⓤⓢⓓⓒ", "usdc"],
    ["Cyrillic letters", "ЕТН", "eth"],
    ["Greek letters", "ΤΕΤΗΕΡ", "tetnep"],
    ["the coin's own sign", "Ξth", "eth"],
    ["the sign of Tether", "USD₮", "usdt"],
    ["the sign of Bitcoin", "₿tc", "btc"],
    ["digits for letters", "U5D0", "usdo"],
    ["signs for letters", "U$DC", "usdc"],
    ["accents", "Ùśḑč", "usdc"],
    ["accents of their own", "u\u0301s\u0323d\u20DDc", "usdc"],
    ["a letter without its dot", "unıswap", "uniswap"],
    ["spaces, points and dashes", " U.S-D_C ", "usdc"],
    ["unseen characters", "U\u200BS\u00ADD\u{E0043}C", "usdc"],
    ["a final sigma", "ΑΣ", "aσ"]
  ])("folds %s: %s is %s", (_, written, seen) => {
    assert.strictEqual(Confusables.fold(written), seen)
  })

  it.each([
    ["USDC", "USDT"],
    ["WBTC", "BTC"],
    ["ETH", "ETHX"],
    ["DAI", "DAO"],
    ["柠檬", "苹果"],
    ["🍣", "🍕"]
  ])("keeps %s and %s apart", (one, other) => {
    assert.notStrictEqual(Confusables.fold(one), Confusables.fold(other))
  })

  it.prop("is idempotent", [anyText], ([text]) => {
    const folded = Confusables.fold(text)
    assert.strictEqual(Confusables.fold(folded), folded)
  })

  it.prop("does not depend on case", [letters], ([text]) => {
    assert.strictEqual(Confusables.fold(text.toUpperCase()), Confusables.fold(text))
    assert.strictEqual(Confusables.fold(text.toLowerCase()), Confusables.fold(text))
  })

  it.prop("does not depend on how accents are encoded", [anyText], ([text]) => {
    assert.strictEqual(Confusables.fold(text.normalize("NFD")), Confusables.fold(text.normalize("NFC")))
  })

  it.prop("leaves no space, mark or control character", [anyText], ([text]) => {
    assert.notMatch(Confusables.fold(text), /[\p{M}\p{Z}\p{C}]/u)
  })

  it("leaves something of every listed name and symbol, so that no empty name looks like one", () => {
    const tokens = listed.flatMap(([, ofChain]) => ofChain)
    assert.isNotEmpty(tokens)
    for (const { name, symbol } of tokens) {
      assert.isNotEmpty(Confusables.fold(name))
      assert.isNotEmpty(Confusables.fold(symbol))
    }
  })
})

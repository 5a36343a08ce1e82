import { Effect, Option, Schema } from "effect"
import * as ChainBook from "../../../chain/ChainBook.js"
import { ChainState } from "../../../chain/state/ChainState.js"
import type { TokenProfile } from "../../../domain/facts/TokenProfile.js"
import type { WrittenText } from "../../../facts/Getter.js"
import { Token } from "../../../facts/market/Token.js"
import * as Together from "../../../runtime/Together.js"
import * as Check from "../../Check.js"
import * as Confusables from "./Confusables.js"

/**
 * Whether a token has unusual metadata: a misleading name or symbol (medium), or decimals or a supply out of the usual
 * range (low).
 *
 * - Name or symbol: `empty`, `long` (more than 64 bytes), `unseen_characters` (control, bidi, zero-width),
 *   `mixed_scripts` (a look-alike letter of another script in a Latin word), `link`, `lure` (an invitation to claim or
 *   visit something).
 * - Fungible tokens: `decimals` of 0 or more than 36, `supply` of 0 or more than 2^200.
 *
 * @see https://www.unicode.org/reports/tr39/#Mixed_Script_Detection
 */
export const metadataAnomalous = Check.make({
  id: "token.metadata-anomalous",
  code: "M-02",
  version: 1,
  targets: ["token"],
  claim: "The name, symbol, decimals or supply of the token are unusual",
  polarity: "risk",
  severity: "medium",
  dimension: "identity",
  value: Schema.Struct({
    oddities: Schema.Array(
      Schema.Struct({
        of: Schema.Literal("name", "symbol", "decimals", "supply"),
        what: Schema.Literal(
          "empty",
          "long",
          "unseen_characters",
          "mixed_scripts",
          "link",
          "lure",
          "zero",
          "out_of_range"
        )
      })
    )
  }),
  run: (target) =>
    Effect.gen(function* () {
      const { chain } = yield* ChainState
      const token = yield* Token
      const { profile, written } = yield* Together.all({
        profile: token.of(target.address),
        written: token.written(target.address)
      })
      if (profile.value.standard === "none") return Check.notApplicable
      // The maintainers of the list have reviewed names such as "Ether.fi".
      const isListed = ChainBook.isListed(yield* ChainBook.of(chain.addressBook), target.address)
      const oddities = [
        ...textOddities("name", written.value.name, isListed),
        ...textOddities("symbol", written.value.symbol, isListed),
        ...numberOddities(profile.value)
      ]
      const seen = {
        value: { oddities },
        observation: (oddities.some(isOfText) || oddities.length === 0 ? written : profile).observation()
      }
      return oddities.length === 0
        ? [Check.refuted({ ...seen, detail: "name, symbol, decimals and total supply look normal" })]
        : [
            Check.confirmed({
              ...seen,
              severity: oddities.some(isOfText) ? "medium" : "low",
              detail: oddities.map(({ of, what }) => `${of}: ${what.replaceAll("_", " ")}`).join(", ")
            })
          ]
    })
})

interface Oddity {
  readonly of: "name" | "symbol" | "decimals" | "supply"
  readonly what: "empty" | "long" | "unseen_characters" | "mixed_scripts" | "link" | "lure" | "zero" | "out_of_range"
}

const isOfText = ({ of }: Oddity): boolean => of === "name" || of === "symbol"

const textOddities = (
  of: "name" | "symbol",
  written: Option.Option<WrittenText>,
  isListed: boolean
): ReadonlyArray<Oddity> =>
  Option.match(written, {
    onNone: () => [],
    onSome: ({ size, text }) => {
      const visible = text.replace(emojiJoints, "").replace(unseen, "")
      const tests: ReadonlyArray<readonly [what: Oddity["what"], holds: boolean]> = [
        ["empty", visible.trim() === ""],
        ["long", size > longestText],
        ["unseen_characters", visible.length < text.replace(emojiJoints, "").length],
        ["mixed_scripts", mixesScripts(visible)],
        ["link", !isListed && link.test(visible)],
        ["lure", !isListed && lure.test(visible)]
      ]
      return tests.flatMap(([what, holds]) => (holds ? [{ of, what }] : []))
    }
  })

const numberOddities = ({ decimals, standard, total_supply: supply }: TokenProfile): ReadonlyArray<Oddity> => {
  if (standard !== "erc20" && standard !== "erc4626") return []
  const found: Array<Oddity> = []
  if (decimals === 0) found.push({ of: "decimals", what: "zero" })
  if (decimals !== null && decimals > mostDecimals) found.push({ of: "decimals", what: "out_of_range" })
  if (supply === "0") found.push({ of: "supply", what: "zero" })
  if (supply !== null && BigInt(supply) > largestSupply) found.push({ of: "supply", what: "out_of_range" })
  return found
}

// In bytes: user interfaces show no more of a name.
const longestText = 64

// No price can resolve more than 10^36 smallest units per token, or 2^200 of them.
const mostDecimals = 36

const largestSupply = 2n ** 200n

// Control characters (including white space other than the space), bidi and zero-width characters, and blank letters.
const unseen =
  /\p{Cc}|\p{Cf}|\p{Cs}|\p{Co}|[\u034F\u115F\u1160\u17B4\u17B5\u2028\u2029\u2800\u3164\uFFA0\uFFFD]|\p{VS}/gu

// What holds an emoji together: a joiner before one, a variation selector behind one.
const emojiJoints = /\u200D(?=\p{Extended_Pictographic})|(?<=[\p{Extended_Pictographic}\d#*])\uFE0F/gu

const link =
  /https?:|:\/\/|(?:^|[^\p{L}\p{N}])(?:www\.|t\.me(?![\p{L}\p{N}]))|(?:^|[^\p{L}\p{N}])[\p{L}\p{N}-]{2,}\.(?:com|org|net|io|xyz|app|fi|finance|site|top|online|club|info|gift|vip|pro|me|cc|ru|cn|co|ai|to|link|live|website|space|fun|shop|store|exchange|network|money|cash|events?|claims?)(?![\p{L}\p{N}])/iu

const lure = /\b(?:claim\w*|visit|airdrops?|giveaway|voucher|redeem)\b/i

/** Whether a Latin word has letters of another script that look Latin. */
const mixesScripts = (text: string): boolean =>
  (text.normalize("NFC").match(/[\p{L}\p{M}]+/gu) ?? []).some(
    (word) =>
      /\p{Script=Latin}/u.test(word) &&
      [...word].some(
        (letter) => /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(letter) && /^[a-z]$/.test(Confusables.fold(letter))
      )
  )

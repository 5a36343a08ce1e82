// Cyrillic and Greek letters, digits and signs that fonts draw like a Latin letter, after NFKC and lower case.
// Source: the Unicode confusables of single letters (https://www.unicode.org/Public/security/latest/confusables.txt).
const alike: Readonly<Record<string, string>> = {
  а: "a",
  в: "b",
  с: "c",
  ԁ: "d",
  е: "e",
  ё: "e",
  ғ: "f",
  һ: "h",
  н: "h",
  і: "i",
  ї: "i",
  ј: "j",
  к: "k",
  ӏ: "l",
  м: "m",
  п: "n",
  о: "o",
  р: "p",
  ԛ: "q",
  г: "r",
  ѕ: "s",
  т: "t",
  ц: "u",
  ѵ: "v",
  ѡ: "w",
  х: "x",
  у: "y",
  α: "a",
  β: "b",
  ε: "e",
  η: "n",
  ι: "i",
  κ: "k",
  μ: "m",
  ν: "v",
  ο: "o",
  ρ: "p",
  τ: "t",
  υ: "u",
  χ: "x",
  γ: "y",
  ω: "w",
  // Σ in lower case at the end of a word.
  ς: "σ",
  "0": "o",
  "1": "l",
  "|": "l",
  "5": "s",
  $: "s",
  "₮": "t",
  "₿": "b",
  ξ: "e",
  ı: "i",
  "!": "i"
}

/**
 * A text without compatibility forms, accents, case, spacing and look-alike letters, so that similar texts are equal.
 *
 * @see https://www.unicode.org/reports/tr39/
 */
export const fold = (text: string): string => {
  // Fast path: lists have mostly ASCII names, and a token is compared with all of them.
  let folded = ""
  for (let place = 0; place < text.length; place++) {
    const plain = ascii[text.charCodeAt(place)]
    if (plain === undefined) return foldAny(text)
    folded += plain
  }
  return folded
}

const foldAny = (text: string): string =>
  [...text.normalize("NFKC").toLowerCase().normalize("NFD")]
    .filter((letter) => !/[\p{M}\p{Z}\p{C}\p{P}]/u.test(letter) || letter in alike)
    .map((letter) => alike[letter] ?? letter)
    .join("")

/** The folded form of each ASCII character, which does not depend on its neighbours. */
const ascii: ReadonlyArray<string> = Array.from({ length: 128 }, (_, code) => foldAny(String.fromCharCode(code)))

import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import * as Address from "../../src/domain/Address.js"

// The test cases of https://eips.ethereum.org/EIPS/eip-55 and https://eips.ethereum.org/EIPS/eip-1191.
const spellings: ReadonlyArray<readonly [eip55: string, rootstock: string, testnet: string]> = [
  [
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD",
    "0x5aAeb6053F3e94c9b9A09F33669435E7EF1BEaEd"
  ],
  [
    "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
    "0xFb6916095cA1Df60bb79ce92cE3EA74c37c5d359",
    "0xFb6916095CA1dF60bb79CE92ce3Ea74C37c5D359"
  ],
  [
    "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
    "0xDBF03B407c01E7CD3cBea99509D93F8Dddc8C6FB",
    "0xdbF03B407C01E7cd3cbEa99509D93f8dDDc8C6fB"
  ],
  [
    "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
    "0xD1220A0Cf47c7B9BE7a2e6ba89F429762E7B9adB",
    "0xd1220a0CF47c7B9Be7A2E6Ba89f429762E7b9adB"
  ]
]

describe("Address", () => {
  it.each(spellings)("reads %s in the spelling of EIP-55 and of both chains of EIP-1191 as the same", (...each) => {
    for (const text of each)
      assert.deepStrictEqual(Address.parse(text), Either.right(Address.checksum(each[0] as `0x${string}`)))
  })

  it.each(spellings)("refuses %s with one letter in the wrong case, in each spelling", (...each) => {
    for (const text of each) {
      const place = [...text].findIndex((letter, index) => index > 1 && /[a-f]/i.test(letter))
      const letter = text.charAt(place)
      const wrong = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
      const refused = Address.parse(text.slice(0, place) + wrong + text.slice(place + 1))
      assert.isTrue(Either.isLeft(refused) && refused.left.reason === "bad_checksum")
    }
  })
})

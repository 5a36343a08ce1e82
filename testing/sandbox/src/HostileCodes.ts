import type { Hex } from "viem"

const word = (value: number): string => value.toString(16).padStart(4, "0")

/** Repeats blocks that know their own offset until the code has the size of the largest contract. */
const fill = (start: string, block: (offset: number) => string): Hex => {
  let code = start
  for (let next = block(code.length / 2); code.length + next.length < 2 * 24_576; next = block(code.length / 2))
    code += next
  return `0x${code}`
}

// x += calldata[n]; if (x) goto the end of the block; `what`
const conditional = (what: string) => (offset: number) => {
  const end = offset + 10 + what.length / 2
  return `61${word(offset)}35018061${word(end)}57${what}5b`
}

/** Tokens with transfers that build a formula of the amount, each step from the one before, and use it. */
const steps = (step: string, times: number, end: string): Hex => {
  const start = `5f3560e01c8063a9059cbb1461${word(30)}57806323b872dd1461${word(30)}575f5ffd5b`
  return `0x${start}602435${step.repeat(times)}${end}60015f5260205ff3`
}

// Steps that have the formula before twice in them, so that it is as long as two to the power of them.
const sum = "8001"
const pair = "805f5260205260405f20"
const both = "801516"
const either = "801517"

// Ends: a slot that is read, what is put in one, what is required.
const asSlot = "5450"
const asValue = "600555"
const asCondition = (offset: number) => `61${word(offset)}575f5ffd5b`

const required = (step: string, times: number): Hex =>
  steps(step, times, asCondition(31 + 3 + (step.length / 2) * times + 4 + 3))

/** Codes that are expensive to analyse, most of the largest size that a contract can have, by kind. */
export const hostileCodes = {
  "jump targets only": fill("", () => "5b"),
  "pushes only": fill("", () => "5f"),
  "a chain of conditions": fill("6000", conditional("")),
  "a chain of writes to unknown slots": fill("6000", conditional("808055")),
  "a chain of mapping entries": fill("6000", conditional("335f528060205260405f2033815550")),
  "jumps in all directions": fill("", (offset) => {
    const to = (factor: number) => word(13 * ((((offset / 13) | 0) * factor + 7) % 1_800))
    return `5b61${to(31)}3461${to(17)}5761${to(13)}56`
  }),
  "a stack that grows in loops": fill("3480", () => "5b80346100025780"),
  "memory written everywhere": fill("5b", (offset) => `3461${word((offset * 33) & 0xffff)}52`),
  "invalid instructions only": fill("", () => "fe"),
  "pushes that run over the end": fill("", () => `7f${"ab".repeat(32)}50`).slice(0, -20) as Hex,
  "slots that may be hashes": fill("", (offset) => `7f${(offset * 7_919).toString(16).padStart(64, "f")}5450`),
  "hashes of hashes": fill("34", () => "5f5260205f20"),
  "long hashes of many pieces": fill(
    Array.from({ length: 192 }, (_, i) => `3461${word(5 * i + 1)}53`).join(""),
    () => "6104005f2050"
  ),
  "calls that tell much": fill(
    Array.from({ length: 192 }, (_, i) => `3461${word(5 * i + 1)}53`).join(""),
    () => "5f5f6104005f5f335af150"
  ),
  "many functions over one body": fill(
    `5f3560e01c${Array.from({ length: 300 }, (_, i) => `8063${(0x10000000 + i).toString(16)}1461${word(5 + 300 * 11)}57`).join("")}5b`,
    conditional("803355")
  ),
  "sums of sums as a slot": steps(sum, 64, asSlot),
  "sums of sums put in storage": steps(sum, 64, asValue),
  "hashes of pairs as a slot": steps(pair, 64, asSlot),
  "conditions both of which hold": required(both, 64),
  "conditions either of which holds": required(either, 64),
  "a sum as long as the code": steps(sum, 12_000, asValue),
  "a condition as long as the code": required(both, 8_000)
} as const satisfies Record<string, Hex>

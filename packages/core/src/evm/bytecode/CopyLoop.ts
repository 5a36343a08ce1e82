/** @internal */

/**
 * The stack positions of the parts of a copy loop, counted from the top. `done` is the number of bytes already copied;
 * none where the loop advances its pointers instead.
 */
export interface CopyLoop {
  readonly source: number
  readonly target: number
  readonly length: number
  readonly done: number | undefined
}

/**
 * The loop with its head at an offset that copies memory word by word, as compilers wrote it before MCOPY existed. If
 * its iterations were merged, the copied words would be lost, and with them the calldata of calls to other contracts.
 */
export const at = (bytes: Uint8Array, offset: number): CopyLoop | undefined => {
  for (const { loop, parts } of loops) if (matches(bytes, offset, parts)) return loop
  return undefined
}

/** Instructions in hex, or a PUSH of a place: where the loop leaves to, and where it begins. */
type Part = ReadonlyArray<number> | "exit" | "head"

const code = (hex: string): Part => (hex.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16))

// https://github.com/argotorg/solidity: copyToMemory() of 0.4 to 0.7 for the first two, copy_memory_to_memory of the ABI
// coder for the others; each with and without the optimiser, which takes a longer constant where that costs less gas.
const loops: ReadonlyArray<{ readonly loop: CopyLoop; readonly parts: ReadonlyArray<Part> }> = [
  ...[
    "80518252601f199092019160209182019101",
    `805182527f${"ff".repeat(31)}e09092019160209182019101`,
    "80518252602082019150602081019050602083039250"
  ].map((body) => ({
    loop: { source: 0, target: 1, length: 2, done: undefined },
    parts: [code("5b60208310"), "exit", code(`57${body}`), "head", code("56")] as const
  })),
  ...["8181015183820152602001", "8082015181840152602081019050"].map((body) => ({
    loop: { done: 0, source: 1, target: 2, length: 3 },
    parts: [code("5b83811015"), "exit", code(`57${body}`), "head", code("56")] as const
  }))
]

const matches = (bytes: Uint8Array, offset: number, parts: ReadonlyArray<Part>): boolean => {
  let position = offset
  for (const part of parts) {
    if (part === "exit" || part === "head") {
      const size = (bytes[position] ?? 0) - 0x5f
      if (size !== 2 && size !== 3) return false
      let place = 0
      for (let i = 1; i <= size; i++) place = place * 256 + (bytes[position + i] ?? 0)
      if (part === "head" && place !== offset) return false
      position += 1 + size
    } else for (const byte of part) if (bytes[position++] !== byte) return false
  }
  return true
}

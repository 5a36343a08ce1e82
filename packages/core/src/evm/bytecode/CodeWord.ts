/** @internal */

/** The number in `size` bytes of a code, big-endian; behind its end are zeros. */
export const codeWord = (bytes: Uint8Array, start: number, size: number): bigint => {
  let high = 0n
  let chunk = 0
  let digits = 0
  for (let i = start; i < start + size; i++) {
    chunk = chunk * 256 + (bytes[i] ?? 0)
    if (++digits === 6) {
      high = (high << 48n) | BigInt(chunk)
      chunk = 0
      digits = 0
    }
  }
  return digits === 0 ? high : (high << BigInt(8 * digits)) | BigInt(chunk)
}

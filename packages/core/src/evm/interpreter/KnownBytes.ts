/** @internal */

/** Bytes of which some are known: each from 0 to 255, or {@link unknown}. What follows them is all `rest`. */
export interface KnownBytes {
  bytes: Int16Array
  rest: typeof unknown | 0
}

export const unknown = -1

/** How many bytes are tracked: nothing is known of what is written behind them. */
export const most = 8_192

/** Memory as a call finds it. */
export const empty = (): KnownBytes => ({ bytes: new Int16Array(0), rest: 0 })

export const copy = ({ bytes, rest }: KnownBytes): KnownBytes => ({ bytes: bytes.slice(), rest })

/** The bytes of a range, zeros behind the end of a source that ends. */
export const read = ({ bytes, rest }: KnownBytes, offset: number, size: number): Int16Array => {
  const found = new Int16Array(size).fill(rest)
  if (offset < bytes.length) found.set(bytes.subarray(offset, Math.min(bytes.length, offset + size)))
  return found
}

/** A big-endian number; none where one of its bytes is not known. */
export const numberOf = (bytes: Int16Array): bigint | undefined => {
  let hex = "0x0"
  for (const byte of bytes) {
    if (byte === unknown) return undefined
    hex += byte < 16 ? `0${byte.toString(16)}` : byte.toString(16)
  }
  return BigInt(hex)
}

export const wordOf = (value: bigint): Int16Array => {
  const hex = value.toString(16).padStart(64, "0")
  return Int16Array.from({ length: 32 }, (_, place) => Number.parseInt(hex.slice(2 * place, 2 * place + 2), 16))
}

/** Writes bytes at an offset. */
export const write = (memory: KnownBytes, offset: number, bytes: Int16Array): void => {
  forget(memory, offset, bytes.length)
  if (offset + bytes.length <= most) memory.bytes.set(bytes, offset)
}

/** Marks a range as unknown. */
export const forget = (memory: KnownBytes, offset: number, size: number): void => {
  if (offset + size > most) forgetFrom(memory, offset)
  else {
    reach(memory, offset + size)
    memory.bytes.fill(unknown, offset, offset + size)
  }
}

/** Marks everything from an offset on as unknown. */
export const forgetFrom = (memory: KnownBytes, offset: number): void => {
  reach(memory, Math.min(offset, most))
  memory.bytes = memory.bytes.slice(0, Math.min(offset, most))
  memory.rest = unknown
}

/** Keeps what both hold alike, and answers whether anything was lost by it. */
export const meet = (kept: KnownBytes, other: KnownBytes): boolean => {
  let changed = false
  reach(kept, other.bytes.length)
  for (let offset = 0; offset < kept.bytes.length; offset++) {
    const byte = kept.bytes[offset]
    if (byte === unknown || byte === (offset < other.bytes.length ? other.bytes[offset] : other.rest)) continue
    kept.bytes[offset] = unknown
    changed = true
  }
  if (kept.rest !== other.rest && kept.rest !== unknown) {
    kept.rest = unknown
    changed = true
  }
  return changed
}

const reach = (memory: KnownBytes, size: number): void => {
  if (size <= memory.bytes.length) return
  const grown = new Int16Array(size).fill(memory.rest)
  grown.set(memory.bytes)
  memory.bytes = grown
}

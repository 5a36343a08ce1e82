import { Option } from "effect"
import * as OxBytes from "ox/Bytes"
import * as OxHex from "ox/Hex"
import type { Hex } from "../../domain/Hex.js"

/**
 * The metadata record that a compiler appends to the code. `source` is the hash of the metadata file, with the name
 * that solc gives it; `size` is the length of the record in bytes.
 *
 * @see https://docs.soliditylang.org/en/latest/metadata.html#encoding-of-the-metadata-hash-in-the-bytecode
 * @since 0.1.0
 * @category models
 */
export interface Metadata {
  readonly compiler: "solc" | "vyper"
  readonly version: Option.Option<string>
  readonly source: Option.Option<{ readonly kind: "ipfs" | "bzzr0" | "bzzr1"; readonly hash: Hex }>
  readonly experimental: boolean
  readonly size: number
}

/**
 * Decodes the record at the end of a runtime code; none when it was stripped or is not one.
 *
 * @since 0.1.0
 * @category constructors
 */
export const decode = (code: Hex): Option.Option<Metadata> =>
  decodeBytes(OxBytes.fromHex(code.length % 2 === 0 ? code : "0x"))

/**
 * {@link decode} for code that is bytes already.
 *
 * @since 0.1.0
 * @category constructors
 */
export const decodeBytes = (bytes: Uint8Array): Option.Option<Metadata> => {
  if (bytes.length < 4) return Option.none()
  const stated = ((bytes[bytes.length - 2] ?? 0) << 8) | (bytes[bytes.length - 1] ?? 0)
  // solc's length leaves out its own two bytes, Vyper's (from 0.3.10) counts them.
  for (const length of [stated, stated - 2]) {
    const start = bytes.length - 2 - length
    if (length < 2 || start < 0) continue
    const item = read(bytes.subarray(start, bytes.length - 2))
    if (Option.isNone(item)) continue
    const found = describe(item.value, length + 2)
    if (Option.isSome(found)) return found
  }
  return Option.none()
}

const describe = (item: Item, size: number): Option.Option<Metadata> => {
  // Vyper from 0.3.10 puts its map last in an array of section sizes.
  const map = Array.isArray(item) ? item.at(-1) : item
  if (!(map instanceof Map)) return Option.none()
  const vyper = map.get("vyper")
  if (vyper !== undefined) {
    const numbers = Array.isArray(vyper) ? vyper : []
    const version =
      numbers.length === 3 && numbers.every((part) => typeof part === "number")
        ? Option.some(numbers.join("."))
        : Option.none()
    return Option.some({ compiler: "vyper", version, source: Option.none(), experimental: false, size })
  }
  const solc = map.get("solc")
  const kind = sourceKinds.find((candidate) => map.get(candidate) instanceof Uint8Array)
  if (solc === undefined && kind === undefined) return Option.none()
  const hash = kind === undefined ? undefined : map.get(kind)
  return Option.some({
    compiler: "solc",
    version:
      solc instanceof Uint8Array && solc.length === 3
        ? Option.some(solc.join("."))
        : typeof solc === "string"
          ? Option.some(solc.slice(0, 64))
          : Option.none(),
    source:
      kind !== undefined && hash instanceof Uint8Array
        ? Option.some({ kind, hash: OxHex.fromBytes(hash) })
        : Option.none(),
    experimental: map.get("experimental") === true,
    size
  })
}

const sourceKinds = ["ipfs", "bzzr1", "bzzr0"] as const

type Item = number | boolean | string | Uint8Array | ReadonlyArray<Item> | ReadonlyMap<string, Item>

/** Reads one CBOR item that fills `bytes` exactly: the subset of RFC 8949 that compilers write. */
const read = (bytes: Uint8Array): Option.Option<Item> => {
  let position = 0
  let depth = 0
  let sound = true
  const fail = (): Item => {
    sound = false
    return 0
  }
  const argument = (info: number): number => {
    if (info < 24) return info
    const width = info === 24 ? 1 : info === 25 ? 2 : info === 26 ? 4 : 0
    if (width === 0 || position + width > bytes.length) return fail() as number
    let value = 0
    for (let i = 0; i < width; i++) value = value * 256 + (bytes[position++] ?? 0)
    return value
  }
  const item = (): Item => {
    if (!sound || position >= bytes.length || depth > 4) return fail()
    const head = bytes[position++] ?? 0
    const info = head & 0x1f
    switch (head >> 5) {
      case 0:
        return argument(info)
      case 2:
      case 3: {
        const length = argument(info)
        if (!sound || position + length > bytes.length) return fail()
        const content = bytes.slice(position, position + length)
        position += length
        return head >> 5 === 2 ? content : OxBytes.toString(content)
      }
      case 4: {
        const length = argument(info)
        const list: Array<Item> = []
        depth++
        for (let i = 0; sound && i < length; i++) list.push(item())
        depth--
        return list
      }
      case 5: {
        const length = argument(info)
        const map = new Map<string, Item>()
        depth++
        for (let i = 0; sound && i < length; i++) {
          const key = item()
          if (typeof key !== "string") return fail()
          map.set(key, item())
        }
        depth--
        return map
      }
      case 7:
        return info === 20 ? false : info === 21 ? true : fail()
      default:
        return fail()
    }
  }
  const value = item()
  return sound && position === bytes.length ? Option.some(value) : Option.none()
}

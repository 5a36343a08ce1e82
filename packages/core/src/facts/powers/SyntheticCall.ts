/** @internal */

import { Either, type Option } from "effect"
import * as AbiParameters from "ox/AbiParameters"
import type { Address } from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import type { Write } from "../../evm/summary/StorageFlow.js"
import * as Getter from "../Getter.js"

/**
 * What the arguments of a function are for, by what its writes do with them: places of 32-byte words in the call data
 * that say which account, and which value. `listed` says that accounts come in a list.
 */
export interface Roles {
  readonly accounts: ReadonlySet<number>
  readonly values: ReadonlySet<number>
  readonly listed: boolean
}

/** The roles of the arguments of some writes. */
export const rolesOf = (writes: ReadonlyArray<Write>): Roles => {
  const accounts = new Set<number>()
  const values = new Set<number>()
  let listed = false
  const others = new Set<number>()
  for (const { change, keys } of writes) {
    keys.forEach((key, depth) => {
      if (key.kind !== "argument") return
      if (key.index === undefined) listed = true
      // Of an entry inside an entry, as an allowance is, the outer one is the account that it belongs to.
      else (depth === 0 ? accounts : others).add(key.index)
    })
    for (const origin of change.amount)
      if (origin.kind === "argument" && origin.index !== undefined) values.add(origin.index)
  }
  // What decides which entry is written is no value, even where the entry holds it as well.
  for (const key of [...accounts, ...others]) values.delete(key)
  return { accounts, values, listed }
}

/**
 * The roles that arguments of these types have in most functions: the first account is the one that it is about, and
 * every number and truth value is the value.
 */
export const rolesByType = (types: ReadonlyArray<string>): Roles => {
  const first = types.indexOf("address")
  return {
    accounts: new Set(first === -1 ? [] : [first]),
    values: new Set(types.flatMap((type, place) => (type === "bool" || isNumber(type) ? [place] : []))),
    listed: first === -1 && types.includes("address[]")
  }
}

/** What to put in: the account it is about, another one for what is left, and a value. */
export interface Filling {
  readonly account: Address
  readonly other: Address
  readonly value: bigint
}

/** Whether a function takes its value as a number, and not as a truth value or not at all. */
export const valueKind = (types: ReadonlyArray<string>, roles: Roles): "none" | "bool" | "number" => {
  const found = types.filter((type, place) => roles.values.has(place) && (isNumber(type) || type === "bool"))
  return found.length === 0 ? "none" : found.every((type) => type === "bool") ? "bool" : "number"
}

/** The wanted value, cut to the largest one that the narrowest argument for it can hold. */
export const fitting = (types: ReadonlyArray<string>, roles: Roles, value: bigint): bigint =>
  types.reduce(
    (least, type, place) =>
      roles.values.has(place) && isNumber(type) && largest(type) < least ? largest(type) : least,
    value
  )

/**
 * The argument types of a function as bytecode suggests them, one a word of the call data's head; where types are not
 * of that kind, or were not inferred, the words are numbers.
 */
export const typesOf = (inferred: string, roles: Roles): ReadonlyArray<string> => {
  const types = inferred === "" ? [] : inferred.split(",")
  const words = Math.max(-1, ...roles.accounts, ...roles.values) + 1
  if (types.length >= words && types.every((type) => isSimple(type))) return types
  return Array.from({ length: Math.min(words, wordsAtMost) }, (_, place) =>
    roles.accounts.has(place) ? "address" : "uint256"
  )
}

const wordsAtMost = 16

/** The arguments of a call, encoded. None where they cannot be. */
export const encode = (types: ReadonlyArray<string>, roles: Roles, filling: Filling): Option.Option<Hex> => {
  // Without a role, the first account of a call is most likely the one that it is about.
  const first = roles.accounts.size > 0 || roles.listed ? -1 : types.indexOf("address")
  const values = types.map((type, place) => argument(type, place, roles, filling, first))
  return Either.getRight(
    Either.try(() =>
      AbiParameters.encode(types.map((type) => ({ type })) as AbiParameters.AbiParameters, values as never)
    )
  )
}

const argument = (type: string, place: number, roles: Roles, filling: Filling, first: number): unknown => {
  const isAbout = roles.accounts.has(place) || place === first
  if (type.endsWith("[]")) {
    const item = type.slice(0, -2)
    return [roles.listed && item === "address" ? filling.account : argument(item, -1, roles, filling, first)]
  }
  if (type === "address") return isAbout ? filling.account : filling.other
  if (type === "bool") return roles.values.has(place) ? filling.value > 0n : true
  if (isNumber(type)) {
    const most = largest(type)
    const value = isAbout ? BigInt(filling.account) : roles.values.has(place) ? filling.value : 0n
    return value > most ? most : value
  }
  if (type === "string") return ""
  if (type === "bytes") return "0x"
  const size = Number(type.slice("bytes".length))
  return isAbout ? Getter.word(filling.account).slice(0, 2 + 2 * size) : `0x${"00".repeat(size)}`
}

const isNumber = (type: string): boolean => /^u?int\d+$/.test(type)

const isSimple = (type: string): boolean =>
  /^(address|bool|string|bytes([1-9]|[12]\d|3[012])?|u?int\d+)(\[\])?$/.test(type)

const largest = (type: string): bigint => {
  const bits = BigInt(/\d+$/.exec(type)?.[0] ?? "256")
  return (1n << (type.startsWith("uint") ? bits : bits - 1n)) - 1n
}

/**
 * Values between two numbers, largest first: all of them where they are few, otherwise round ones with their successors,
 * as people choose limits, and others at equal distances.
 */
export const between = (low: bigint, high: bigint): ReadonlyArray<bigint> => {
  const gap = high - low - 1n
  const found = new Set<bigint>()
  if (gap <= BigInt(valuesAtMost)) for (let value = high - 1n; value > low; value--) found.add(value)
  else if (high > low * 1_000n) {
    for (let value = (low === 0n ? 1n : low) * 10n; value < high && found.size < valuesAtMost; value *= 10n)
      found.add(value)
  } else {
    for (let i = 1n; i <= evenAtMost; i++) found.add(low + (gap * i) / (evenAtMost + 1n))
    for (let step = 10n ** BigInt(high.toString().length); step > 0n && found.size < valuesAtMost; step /= 10n) {
      for (const part of [step / 2n, step / 4n, step / 10n]) {
        if (part === 0n) continue
        for (let value = (low / part + 1n) * part; value < high && found.size < valuesAtMost; value += part) {
          found.add(value)
          if (value + 1n < high && found.size < valuesAtMost) found.add(value + 1n)
        }
      }
    }
  }
  return [...found].filter((value) => value > low && value < high).sort((a, b) => (a > b ? -1 : a < b ? 1 : 0))
}

/** The most values that {@link between} gives. */
export const valuesAtMost = 18

const evenAtMost = 8n

/** The 32-byte words of encoded arguments, as many as are shown. */
export const words = (encoded: Hex): ReadonlyArray<Hex> =>
  (encoded.slice(2).match(/.{64}/g) ?? []).slice(0, wordsAtMost).map((word): Hex => `0x${word}`)

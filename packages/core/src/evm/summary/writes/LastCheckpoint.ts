/** @internal */

import { Opcodes } from "../../bytecode/Opcodes.js"
import { distanceFrom, type Expression, isNumber, Kind, type Pool, unmasked } from "../../expression/Expression.js"
import { loadedField, type Tracer } from "../../expression/ValueSource.js"
import type { FieldWrite } from "../signatures/FieldWrite.js"

/**
 * Whether a formula is the old value of a variable, or the last number in a list of such numbers, or zero where the
 * list is empty.
 */
export const is = (pool: Pool, tracer: Tracer, { event, location, mask }: FieldWrite, what: Expression): boolean =>
  isKeptAt(what, mask, isNothing, (place) => {
    const [found, ...others] = tracer.locate(place) ?? []
    if (found === undefined || others.length > 0 || found.id !== location.id) return false
    // A list has a place for each, a mapping of mappings a number.
    const isOne = found.keys.every((key, i) => key === location.keys[i])
    const isNext =
      found.keys.length > 1 &&
      found.keys.slice(0, -1).every((key, i) => key === location.keys[i]) &&
      isStepOn(pool, location.keys.at(-1), found.keys.at(-1), 1n)
    return isNext || (isOne && isStepOn(pool, event.slot, place, found.indices.length > 0 ? maxSize : 0n))
  })

/**
 * Whether a formula is one of the numbers in a list, whichever, or nothing where there is none yet, or what another contract
 * answers instead.
 */
export const isAny = (tracer: Tracer, { location, mask }: FieldWrite, what: Expression): boolean =>
  isKeptAt(
    what,
    mask,
    (way) => isNothing(way) || way.op === Kind.unknown,
    (place) => {
      const places = tracer.locate(place) ?? []
      return (
        places.length > 0 &&
        places.every(({ id, keys }) => id === location.id && keys.every((key, i) => key === location.keys[i]))
      )
    }
  )

const isNothing = (what: Expression): boolean => isNumber(what, 0n)

/**
 * Whether each alternative of a formula is a number at one of the slots or an allowed substitute, and at least one is
 * such a number.
 */
const isKeptAt = (
  what: Expression,
  mask: bigint,
  isElse: (way: Expression) => boolean,
  isPlace: (slot: Expression) => boolean
): boolean => {
  const ways = new Set([what])
  let isKept = false
  for (const way of ways) {
    if (ways.size > maxWays) return false
    const loaded = loadedField(way)
    if (way.op === Kind.merge) for (const inner of way.alternatives) ways.add(inner)
    else if (way.op === Opcodes.AND && loaded === undefined) ways.add(unmasked(way))
    else if (loaded !== undefined && loaded.mask === mask) {
      if (!isPlace(loaded.load.args[0])) return false
      isKept = true
    } else if (!isElse(way)) return false
  }
  return isKept
}

/** Whether a slot or a number is at most a few after another one, both within the same bits. */
const isStepOn = (pool: Pool, to: Expression | undefined, from: Expression | undefined, most: bigint): boolean => {
  if (to === undefined || from === undefined) return false
  const within = unmasked(from) !== from && unmasked(to) !== to && from.args[1] === to.args[1]
  const earlier = within ? unmasked(from) : from
  const step = pool.binary(Opcodes.SUB, to, earlier)
  if (step.op === Kind.constant) return step.value <= most
  const back = to.op === Opcodes.ADD ? distanceFrom(to, earlier) : undefined
  return back !== undefined && back <= 0n && -back <= most
}

/** Words that one of a list takes up. */
const maxSize = 2n

const maxWays = 12

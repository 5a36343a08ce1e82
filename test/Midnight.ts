import { setTimeout } from "node:timers/promises"
import { beforeAll } from "vitest"
import * as Tier from "./Tier.js"

// Longer than a file of the tier takes.
const longest = Tier.landing ? 240_000 : 60_000
const day = 86_400_000

/**
 * Lets a file of tests wait for midnight UTC where it would otherwise see it: units are counted by that day, so that what was
 * used before is not what is used after.
 */
export const wait = (): void => {
  beforeAll(async () => {
    const left = day - (Date.now() % day)
    if (left < longest) await setTimeout(left + 1_000)
  }, longest + 10_000)
}

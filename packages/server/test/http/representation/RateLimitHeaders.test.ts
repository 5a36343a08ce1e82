import { describe, it } from "@effect/vitest"
import { assert } from "vitest"
import * as RateLimitHeaders from "../../../src/http/representation/RateLimitHeaders.js"

describe("RateLimitHeaders", () => {
  it("writes the fields as the draft spells them", () => {
    assert.deepStrictEqual(
      RateLimitHeaders.encode([
        { name: "daily", quota: 50, window: 86_400, remaining: 49, reset: 31_522 },
        { name: "burst", quota: 60, window: 60, remaining: 58, reset: 12 }
      ]),
      {
        "ratelimit-policy": '"daily";q=50;w=86400, "burst";q=60;w=60',
        ratelimit: '"daily";r=49;t=31522, "burst";r=58;t=12'
      }
    )
  })
})

import { assert } from "vitest"
import type { Answer } from "./TestServer.js"

/** What every problem is, whatever it says. */
export const assertProblem = (answer: Answer, status: number, code: string) => {
  assert.strictEqual(answer.status, status, answer.text)
  assert.strictEqual(answer.headers.get("content-type"), "application/problem+json")
  assert.strictEqual(answer.json.status, status)
  assert.strictEqual(answer.json.code, code)
  assert.strictEqual(answer.json.type, `/api/v1/problems/${code.replaceAll("_", "-")}`)
  assert.isAbove(answer.json.title.length, 0)
  assert.isAbove(answer.json.detail.length, 0)
  assert.match(answer.json.request_id, /^req_[0-9A-HJKMNP-TV-Z]{26}$/)
  assert.strictEqual(answer.headers.get("request-id"), answer.json.request_id)
  assert.strictEqual(answer.json.instance, `urn:request:${answer.json.request_id}`)
  assert.isBoolean(answer.json.retryable)
  assert.isArray(answer.json.errors)
  assert.strictEqual(
    answer.headers.get("retry-after"),
    answer.json.retry_after_seconds === null ? null : String(answer.json.retry_after_seconds)
  )
  assert.strictEqual(answer.headers.get("x-content-type-options"), "nosniff")
  assert.strictEqual(answer.headers.get("cache-control"), "no-store")
  assert.strictEqual(answer.headers.get("access-control-allow-origin"), "*")
}

/** Where a request was wrong, and how: `#/label too_long`. */
export const codesOf = (answer: Answer): ReadonlyArray<string> =>
  answer.json.errors.map((item: Record<string, string>) => `${item.pointer ?? item.parameter} ${item.code}`)

/** A request with a JSON body. */
export const json = (body: unknown, method = "POST") => ({
  method,
  headers: { "content-type": "application/json" },
  body: typeof body === "string" ? body : JSON.stringify(body)
})

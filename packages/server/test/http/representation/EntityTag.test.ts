import { HttpServerRequest } from "@effect/platform"
import { describe, it } from "@effect/vitest"
import { Effect, Either, Option } from "effect"
import { assert } from "vitest"
import * as EntityTag from "../../../src/http/representation/EntityTag.js"

const request = (headers: Record<string, string>) =>
  HttpServerRequest.fromWeb(new Request("http://127.0.0.1/", { headers }))

const expected = (header: string | undefined) => {
  const asked = request(header === undefined ? {} : { "if-match": header })
  return EntityTag.expected(asked).pipe(
    Effect.provideService(HttpServerRequest.HttpServerRequest, asked),
    Effect.either
  )
}

describe("EntityTag", () => {
  it("If-None-Match knows a tag in a list, weak or strong, and the star", () => {
    const tag = EntityTag.make(7, "text")
    assert.match(tag, /^"7\.[\w-]{16}"$/)
    assert.notStrictEqual(EntityTag.make(7, "another text"), tag)
    for (const header of [tag, `W/${tag}`, `"6", ${tag}`, `"6",W/${tag}`, "*"])
      assert.isTrue(EntityTag.isKnown(request({ "if-none-match": header }), tag), header)
    for (const header of ['"6"', "7", ""])
      assert.isFalse(EntityTag.isKnown(request({ "if-none-match": header }), tag), header)
    assert.isFalse(EntityTag.isKnown(request({}), tag))
  })

  it.effect("If-Match names versions; weak tags and those of others name none", () =>
    Effect.gen(function* () {
      const [seven, eight] = [EntityTag.make(7, ""), EntityTag.make(8, "")]
      const cases = [
        [undefined, Option.none()],
        ["*", Option.none()],
        [seven, Option.some([7])],
        [`${seven} , ${eight}`, Option.some([7, 8])],
        [`"a,b",${eight}`, Option.some([8])],
        [`W/${seven}`, Option.some([])],
        ['"7"', Option.some([])],
        ['"sha256:00"', Option.some([])],
        ['"-1"', Option.some([])]
      ] as const
      for (const [header, versions] of cases)
        assert.deepStrictEqual(yield* expected(header), Either.right(versions as never), header)
    })
  )

  it.effect("an If-Match that is no list of tags is malformed, not ignored", () =>
    Effect.gen(function* () {
      for (const header of ["7", '"7', '"7""8"', '"7",', 'w/"7"', '*, "7"']) {
        const refused = yield* expected(header)
        assert.isTrue(Either.isLeft(refused) && refused.left.code === "malformed_request", header)
      }
    })
  )
})

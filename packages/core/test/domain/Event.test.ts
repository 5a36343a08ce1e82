import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Event, EventBody, EventType } from "../../src/domain/Event.js"
import { fromMillis } from "../../src/domain/Timestamp.js"

describe("an event", () => {
  it("has a body for every type, and a type for every body", () => {
    const bodies = EventBody.members.map(({ fields }) => fields.type.literals[0])
    assert.sameMembers([...bodies], [...EventType.literals])
  })

  it("is the JSON that the log and the endpoints see: head, type and data side by side", () => {
    const text = JSON.stringify({
      id: "evt_01ARZ3NDEKTSV4RRFFQ69G5FAV",
      sequence: 7,
      timestamp: fromMillis(0),
      type: "test.ping",
      data: { webhook_id: "whk_01ARZ3NDEKTSV4RRFFQ69G5FAV" }
    })
    const event = Schema.decodeUnknownSync(Event)(JSON.parse(text))
    assert.strictEqual(JSON.stringify(Schema.encodeSync(Event)(event)), text)
  })

  it("of one type does not have the data of another", () => {
    const head = { id: "evt_01ARZ3NDEKTSV4RRFFQ69G5FAV", sequence: 7, timestamp: fromMillis(0) }
    const data = { day: "2026-11-21", daily_quota: 50, resets_at: fromMillis(0) }
    assert.isTrue(Schema.is(Event)({ ...head, type: "quota.exhausted", data }))
    for (const type of EventType.literals)
      if (type !== "quota.exhausted") assert.isFalse(Schema.is(Event)({ ...head, type, data }), type)
    assert.isFalse(Schema.is(Event)({ ...head, type: "quota.unheard-of", data }))
  })
})

import type { Event } from "../domain/Event.js"

/**
 * The JSON of an event as sent to endpoints, at most 20,000 bytes. If it would be longer, changes are left out from the
 * end, the least severe first: `counts` still counts all of them, and `changes_url` has them. A long error text is cut,
 * with an ellipsis. The log keeps the whole event.
 *
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#payload-size
 * @since 0.1.0
 * @category constructors
 */
export const encode = (event: Event): string => {
  const whole = JSON.stringify(event)
  if (Buffer.byteLength(whole) <= maxBytes) return whole
  switch (event.type) {
    case "watch.changed":
    case "watch.checked": {
      for (let kept = event.data.changes.length - 1; kept >= 0; kept--) {
        const cut = JSON.stringify({ ...event, data: { ...event.data, changes: event.data.changes.slice(0, kept) } })
        if (Buffer.byteLength(cut) <= maxBytes) return cut
      }
      return whole
    }
    case "watch.failing":
      return JSON.stringify({ ...event, data: { ...event.data, error: `${event.data.error.slice(0, maxError)}…` } })
    default:
      return whole
  }
}

const maxBytes = 20_000
const maxError = 1_000

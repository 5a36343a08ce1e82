/** @internal */

import { Effect, Exit, Option } from "effect"
import * as CanonicalJson from "../domain/CanonicalJson.js"
import * as Id from "../domain/Id.js"
import type { InvitationRecord, Redemption } from "../storage/Invitation.js"
import { type KeyRecord, KeyStore, type Rotation } from "../storage/KeyStore.js"
import { concurrently, type Guarantees, noon, same } from "./Guarantee.js"

/** A key that nobody has yet. */
export const keyRecord = Effect.fnUntraced(function* (changes: Partial<KeyRecord> = {}) {
  const id = yield* Id.make("key")
  const record: KeyRecord = {
    id,
    hashVersion: 1,
    hash: CanonicalJson.hash(id),
    hint: "asy_7Hq2…x9Kd",
    label: "my bot “äöü” 𝔘",
    state: "active",
    dailyQuota: 50,
    createdAt: noon,
    expiresAt: Option.none(),
    lastUsedAt: Option.none(),
    source: Option.none(),
    former: Option.none(),
    plan: Option.none(),
    invitation: Option.none()
  }
  return { ...record, ...changes }
})

/** An invitation that nobody has yet, for one key until tomorrow. */
const invited = Effect.fnUntraced(function* (changes: Partial<InvitationRecord> = {}) {
  const id = yield* Id.make("inv")
  const record: InvitationRecord = {
    id,
    hash: CanonicalJson.hash(id),
    label: "the “team” 𝔘",
    plan: Option.none(),
    uses: 1,
    used: 0,
    createdAt: noon,
    endsAt: noon + 86_400_000,
    ...changes
  }
  yield* (yield* KeyStore).invite(record)
  return record
})

/** A redemption for a new key, by no name unless there is one. */
const redemption = Effect.fnUntraced(function* (
  { hash }: Pick<InvitationRecord, "hash">,
  { name, now = noon, ...changes }: Partial<KeyRecord> & { readonly name?: string; readonly now?: number } = {}
) {
  const key = yield* keyRecord(changes)
  return { invitation: hash, key, request: Option.map(Option.fromNullable(name), CanonicalJson.hash), now }
})

const refused = (reason: "unknown" | "ended" | "used_up") => ({ _tag: "Refused", reason })

/** How the store lists an invitation. */
const listed = Effect.fnUntraced(function* (id: InvitationRecord["id"]) {
  const keys = yield* KeyStore
  let before = Option.none<InvitationRecord["id"]>()
  for (;;) {
    const { data, next_cursor } = yield* keys.invitations({ limit: 50, before })
    const found = data.find((record) => record.id === id)
    if (found !== undefined || next_cursor === null) return Option.fromNullable(found)
    before = Option.map(Option.fromNullable(data.at(-1)), (last) => last.id)
  }
})

/** The key that a redemption makes by an invitation. */
const madeBy = ({ key, request }: Redemption, { id, plan }: InvitationRecord): KeyRecord => ({
  ...key,
  plan,
  invitation: Option.some({ id, request })
})

/** A new secret for a key, by its present one and at once unless said otherwise. */
const rotation = (
  record: KeyRecord,
  {
    name = "first",
    ...changes
  }: Partial<Pick<Rotation, "presented" | "endsAt">> & { readonly name?: string | undefined } = {}
): Rotation => ({
  presented: record.hash,
  hash: CanonicalJson.hash(`${name} of ${record.id}`),
  hint: `asy_${name}`,
  endsAt: noon + 10,
  now: noon,
  ...changes
})

/** What `KeyStore` promises. */
export const cases: Guarantees<KeyStore> = {
  "a key is found by its hash and by its id, as it was inserted": Effect.gen(function* () {
    const keys = yield* KeyStore
    const plain = yield* keyRecord()
    const rich = yield* keyRecord({
      state: "disabled",
      dailyQuota: 0,
      expiresAt: Option.some(noon + 1),
      lastUsedAt: Option.some(noon),
      source: Option.some("2001:db8::/64"),
      former: Option.some({ hash: CanonicalJson.hash(`former ${plain.id}`), endsAt: noon }),
      plan: Option.some("team"),
      invitation: Option.some({ id: yield* Id.make("inv"), request: Option.some(CanonicalJson.hash(plain.id)) })
    })
    yield* keys.insert(plain)
    yield* keys.insert(rich)
    for (const record of [plain, rich]) {
      yield* same("findByHash", yield* keys.findByHash(record.hash), Option.some(record))
      yield* same("find", yield* keys.find(record.id), Option.some(record))
    }
  }),
  "a key that was never inserted is not found": Effect.gen(function* () {
    const keys = yield* KeyStore
    const absent = yield* keyRecord()
    yield* same("findByHash", yield* keys.findByHash(absent.hash), Option.none())
    yield* same("find", yield* keys.find(absent.id), Option.none())
  }),
  "keys are listed newest first, each on one page, whoever was created between two pages": Effect.gen(function* () {
    const keys = yield* KeyStore
    const inserted: Array<KeyRecord> = []
    for (let count = 0; count < 3; count++) {
      const record = yield* keyRecord()
      yield* keys.insert(record)
      inserted.push(record)
    }
    // The store may have keys of others.
    const listed: Array<KeyRecord> = []
    let before = Option.none<KeyRecord["id"]>()
    do {
      const page = yield* keys.list({ limit: 2, before })
      yield* same("the size of a page", page.data.length <= 2, true)
      if (Option.isNone(before)) yield* same("the first page is full", page.data.length, 2)
      listed.push(...page.data)
      yield* same("the cursor", page.next_cursor ?? page.data.at(-1)?.id, page.data.at(-1)?.id)
      before = page.next_cursor === null ? Option.none() : Option.fromNullable(page.data.at(-1)?.id)
      if (listed.length <= 2) yield* keys.insert(yield* keyRecord())
      // A store that begins anew with each page would never end.
    } while (Option.isSome(before) && new Set(listed.map(({ id }) => id)).size === listed.length)
    const ids = listed.map(({ id }) => id)
    yield* same("the order", ids, [...new Set(ids)].sort().reverse())
    for (const record of inserted)
      yield* same(
        "a key",
        listed.filter(({ id }) => id === record.id),
        [record]
      )
  }),
  "a second insert with the same id changes nothing": Effect.gen(function* () {
    const keys = yield* KeyStore
    const record = yield* keyRecord()
    yield* keys.insert(record)
    yield* keys.insert({ ...record, hash: CanonicalJson.hash(`other ${record.id}`), label: "other", dailyQuota: 1 })
    yield* same("find", yield* keys.find(record.id), Option.some(record))
    yield* same(
      "findByHash of the second",
      yield* keys.findByHash(CanonicalJson.hash(`other ${record.id}`)),
      Option.none()
    )
  }),
  "a hash that another key holds is refused, and neither key changes": Effect.gen(function* () {
    const keys = yield* KeyStore
    const first = yield* keyRecord()
    const second = yield* keyRecord({ hash: first.hash })
    yield* keys.insert(first)
    const exit = yield* Effect.exit(keys.insert(second))
    yield* same("the insert failed", Exit.isFailure(exit), true)
    yield* same("findByHash", yield* keys.findByHash(first.hash), Option.some(first))
    yield* same("find", yield* keys.find(second.id), Option.none())
  }),
  "a change is seen by every look-up, changes nothing else and no other key": Effect.gen(function* () {
    const keys = yield* KeyStore
    const record = yield* keyRecord({ lastUsedAt: Option.some(noon) })
    const other = yield* keyRecord()
    yield* keys.insert(record)
    yield* keys.insert(other)
    let expected = record
    const steps: ReadonlyArray<Partial<Pick<KeyRecord, "label" | "state" | "dailyQuota" | "expiresAt" | "plan">>> = [
      { plan: Option.some("team") },
      { label: "another “name”" },
      { state: "disabled" },
      { dailyQuota: 7, expiresAt: Option.some(noon + 5) },
      { expiresAt: Option.none(), state: "active" },
      { plan: Option.some("desk"), dailyQuota: 8 },
      { plan: Option.none() },
      {}
    ]
    for (const step of steps) {
      expected = { ...expected, ...step }
      yield* same(JSON.stringify(step), yield* keys.change(record.id, step), Option.some(expected))
      yield* same("find", yield* keys.find(record.id), Option.some(expected))
      yield* same("findByHash", yield* keys.findByHash(record.hash), Option.some(expected))
    }
    yield* same("the other key", yield* keys.find(other.id), Option.some(other))
  }),
  "a revoked key stays as it is, whatever is changed": Effect.gen(function* () {
    const keys = yield* KeyStore
    const record = yield* keyRecord()
    yield* keys.insert(record)
    const revoked: KeyRecord = { ...record, state: "revoked" }
    yield* same("revoked", yield* keys.change(record.id, { state: "revoked" }), Option.some(revoked))
    for (const step of [
      { state: "active" as const },
      { dailyQuota: 1_000, expiresAt: Option.some(noon) },
      { label: "other" }
    ])
      yield* same(JSON.stringify(step), yield* keys.change(record.id, step), Option.some(revoked))
  }),
  "a key that was never inserted is not changed": Effect.gen(function* () {
    const keys = yield* KeyStore
    const absent = yield* Id.make("key")
    yield* same("change", yield* keys.change(absent, { state: "revoked" }), Option.none())
    yield* same("find", yield* keys.find(absent), Option.none())
  }),
  "of changes at once none is lost": Effect.gen(function* () {
    const keys = yield* KeyStore
    const record = yield* keyRecord()
    yield* keys.insert(record)
    yield* Effect.all(
      [keys.change(record.id, { dailyQuota: 9 }), keys.change(record.id, { expiresAt: Option.some(noon) })],
      { concurrency: "unbounded" }
    )
    yield* same(
      "both",
      yield* keys.find(record.id),
      Option.some({ ...record, dailyQuota: 9, expiresAt: Option.some(noon) })
    )
  }),
  "after a rotation a key is found by both secrets, the presented one until its end, and by no earlier one": Effect.gen(
    function* () {
      const keys = yield* KeyStore
      const record = yield* keyRecord({ lastUsedAt: Option.some(noon) })
      const other = yield* keyRecord()
      yield* keys.insert(record)
      yield* keys.insert(other)
      const first = rotation(record, { endsAt: noon + 100 })
      const once: KeyRecord = {
        ...record,
        hash: first.hash,
        hint: first.hint,
        former: Option.some({ hash: record.hash, endsAt: noon + 100 })
      }
      yield* same("rotate", yield* keys.rotate(record.id, first), Option.some(once))
      yield* same("the same again", yield* keys.rotate(record.id, first), Option.some(once))
      for (const hash of [record.hash, first.hash])
        yield* same("findByHash", yield* keys.findByHash(hash), Option.some(once))
      yield* same("find", yield* keys.find(record.id), Option.some(once))

      const second = rotation(record, { presented: first.hash, endsAt: noon + 200, name: "second" })
      const twice: KeyRecord = {
        ...once,
        hash: second.hash,
        hint: second.hint,
        former: Option.some({ hash: first.hash, endsAt: noon + 200 })
      }
      yield* same("rotate", yield* keys.rotate(record.id, second), Option.some(twice))
      for (const hash of [first.hash, second.hash])
        yield* same("findByHash", yield* keys.findByHash(hash), Option.some(twice))
      yield* same("the first secret", yield* keys.findByHash(record.hash), Option.none())
      yield* same("the other key", yield* keys.find(other.id), Option.some(other))
      yield* same("the other key by its hash", yield* keys.findByHash(other.hash), Option.some(other))
    }
  ),
  "a rotation by the former secret replaces the one that its caller was not shown, and prolongs nothing": Effect.gen(
    function* () {
      const keys = yield* KeyStore
      const record = yield* keyRecord()
      yield* keys.insert(record)
      const lost = rotation(record, { endsAt: noon + 100 })
      yield* keys.rotate(record.id, lost)
      const again = rotation(record, { endsAt: noon + 900, name: "again" })
      yield* same(
        "rotate",
        yield* keys.rotate(record.id, again),
        Option.some({
          ...record,
          hash: again.hash,
          hint: again.hint,
          former: Option.some({ hash: record.hash, endsAt: noon + 100 })
        })
      )
      yield* same("the lost secret", yield* keys.findByHash(lost.hash), Option.none())
    }
  ),
  "the former secret ends no later than its key": Effect.gen(function* () {
    const keys = yield* KeyStore
    const record = yield* keyRecord({ expiresAt: Option.some(noon + 5) })
    yield* keys.insert(record)
    const found = yield* keys.rotate(record.id, rotation(record, { endsAt: noon + 100 }))
    yield* same(
      "former",
      Option.flatMap(found, ({ former }) => former),
      Option.some({ hash: record.hash, endsAt: noon + 5 })
    )
  }),
  "no secret that has ended, and none of another key, rotates a key; nor is a key rotated that is not active":
    Effect.gen(function* () {
      const keys = yield* KeyStore
      const record = yield* keyRecord()
      const other = yield* keyRecord()
      const disabled = yield* keyRecord({ state: "disabled" })
      const revoked = yield* keyRecord({ state: "revoked" })
      const expired = yield* keyRecord({ expiresAt: Option.some(noon) })
      for (const one of [record, other, disabled, revoked, expired]) yield* keys.insert(one)
      const rotated = yield* keys.rotate(record.id, rotation(record, { endsAt: noon }))
      for (const refused of [
        rotation(record, { name: "ended" }),
        rotation(record, { presented: other.hash, name: "foreign" })
      ])
        yield* same("a secret", yield* keys.rotate(record.id, refused), Option.none())
      for (const one of [disabled, revoked, expired]) {
        yield* same("a key", yield* keys.rotate(one.id, rotation(one)), Option.none())
        yield* same("find", yield* keys.find(one.id), Option.some(one))
      }
      yield* same("rotated once", yield* keys.find(record.id), rotated)
      const absent = yield* keyRecord()
      yield* same("no key", yield* keys.rotate(absent.id, rotation(absent)), Option.none())
    }),
  "a new secret that another key holds is refused, and neither key changes": Effect.gen(function* () {
    const keys = yield* KeyStore
    const record = yield* keyRecord()
    const other = yield* keyRecord()
    yield* keys.insert(record)
    yield* keys.insert(other)
    const exit = yield* Effect.exit(keys.rotate(record.id, { ...rotation(record), hash: other.hash }))
    yield* same("the rotation failed", Exit.isFailure(exit), true)
    yield* same("findByHash", yield* keys.findByHash(record.hash), Option.some(record))
    yield* same("the other key", yield* keys.findByHash(other.hash), Option.some(other))
  }),
  "of rotations at once with one secret the last one holds, and the presented secret too": Effect.gen(function* () {
    const keys = yield* KeyStore
    const record = yield* keyRecord()
    yield* keys.insert(record)
    const rotations = ["a", "b", "c", "d"].map((name) => rotation(record, { endsAt: noon + 100, name }))
    yield* Effect.forEach(rotations, (one) => keys.rotate(record.id, one), { concurrency: "unbounded" })
    const found = yield* keys.find(record.id)
    yield* same("findByHash", yield* keys.findByHash(record.hash), found)
    const valid = yield* Effect.filter(rotations, ({ hash }) => Effect.map(keys.findByHash(hash), Option.isSome))
    yield* same(
      "the new secrets",
      valid.map(({ hash }) => hash),
      Option.toArray(Option.map(found, ({ hash }) => hash))
    )
  }),
  "an invitation makes a key with its plan, which every look-up finds, and counts it; another one is not touched":
    Effect.gen(function* () {
      const keys = yield* KeyStore
      const invitation = yield* invited({ plan: Option.some("team"), uses: 2 })
      const other = yield* invited({ uses: 3, endsAt: noon + 5 })
      const first = yield* redemption(invitation, { name: "first", expiresAt: Option.some(noon + 9) })
      const made = madeBy(first, invitation)
      yield* same("redeem", yield* keys.redeem(first), { _tag: "Redeemed", record: made })
      yield* same("the same again", yield* keys.redeem(first), { _tag: "Redeemed", record: made })
      yield* same("find", yield* keys.find(made.id), Option.some(made))
      yield* same("findByHash", yield* keys.findByHash(made.hash), Option.some(made))
      yield* same("one use", yield* listed(invitation.id), Option.some({ ...invitation, used: 1 }))
      const second = yield* redemption(invitation)
      yield* same("redeem", yield* keys.redeem(second), { _tag: "Redeemed", record: madeBy(second, invitation) })
      yield* same("no more", yield* keys.redeem(yield* redemption(invitation)), refused("used_up"))
      yield* same("two uses", yield* listed(invitation.id), Option.some({ ...invitation, used: 2 }))
      yield* same("the other one", yield* listed(other.id), Option.some(other))
    }),
  "of 20 redemptions at once as many make a key as the invitation has uses": Effect.gen(function* () {
    const keys = yield* KeyStore
    for (const uses of [1, 7]) {
      const invitation = yield* invited({ uses })
      const redemptions = yield* Effect.replicateEffect(redemption(invitation), 20)
      const answers = yield* Effect.forEach(redemptions, (one) => keys.redeem(one), concurrently)
      yield* same("made", answers.filter(({ _tag }) => _tag === "Redeemed").length, uses)
      const stored = yield* Effect.filter(redemptions, ({ key }) => Effect.map(keys.find(key.id), Option.isSome))
      yield* same("stored", stored.length, uses)
      yield* same("counted", yield* listed(invitation.id), Option.some({ ...invitation, used: uses }))
    }
  }),
  "an invitation that has ended makes no key, nor does one that nobody made": Effect.gen(function* () {
    const keys = yield* KeyStore
    const over = yield* invited({ endsAt: noon })
    const withdrawn = yield* invited()
    const ended = yield* keys.endInvitation(withdrawn.id, noon - 1)
    yield* same("ended", ended, Option.some({ ...withdrawn, endsAt: noon - 1 }))
    yield* same("not prolonged", yield* keys.endInvitation(withdrawn.id, noon + 9), ended)
    const unknown = { hash: CanonicalJson.hash(yield* Id.make("inv")) }
    yield* same("none", yield* keys.endInvitation(yield* Id.make("inv"), noon), Option.none())
    for (const [of, reason] of [
      [over, "ended"],
      [withdrawn, "ended"],
      [unknown, "unknown"]
    ] as const) {
      const one = yield* redemption(of, { name: "one" })
      yield* same(reason, yield* keys.redeem(one), refused(reason))
      yield* same("find", yield* keys.find(one.key.id), Option.none())
      yield* same("findByHash", yield* keys.findByHash(one.key.hash), Option.none())
    }
    yield* same("no use", yield* listed(over.id), Option.some(over))
  }),
  "a request that is repeated after a lost answer gets the same key with another secret, until that key is used":
    Effect.gen(function* () {
      const keys = yield* KeyStore
      const invitation = yield* invited({ uses: 2 })
      const other = yield* invited()
      const lost = yield* redemption(invitation, { name: "request" })
      yield* keys.redeem(lost)
      const again = yield* redemption(invitation, { name: "request" })
      const renewed = { ...madeBy(lost, invitation), hash: again.key.hash, hint: again.key.hint }
      yield* same("renewed", yield* keys.redeem(again), { _tag: "Redeemed", record: renewed })
      yield* same("find", yield* keys.find(lost.key.id), Option.some(renewed))
      yield* same("findByHash", yield* keys.findByHash(again.key.hash), Option.some(renewed))
      yield* same("the lost secret", yield* keys.findByHash(lost.key.hash), Option.none())
      yield* same("no second key", yield* keys.find(again.key.id), Option.none())
      yield* same("one use", yield* listed(invitation.id), Option.some({ ...invitation, used: 1 }))
      const named = yield* redemption(other, { name: "request" })
      yield* same("of another invitation", yield* keys.redeem(named), {
        _tag: "Redeemed",
        record: madeBy(named, other)
      })
      yield* keys.touch(lost.key.id, noon)
      yield* same("used", yield* keys.redeem(yield* redemption(invitation, { name: "request" })), refused("used_up"))
      yield* same("find", yield* keys.find(lost.key.id), Option.some({ ...renewed, lastUsedAt: Option.some(noon) }))
      const more = yield* redemption(invitation, { name: "another" })
      yield* same("another request", yield* keys.redeem(more), { _tag: "Redeemed", record: madeBy(more, invitation) })
      yield* keys.change(more.key.id, { state: "disabled" })
      yield* same(
        "disabled",
        yield* keys.redeem(yield* redemption(invitation, { name: "another" })),
        refused("used_up")
      )
    }),
  "a redemption with a secret that another key holds is refused, and takes no use": Effect.gen(function* () {
    const keys = yield* KeyStore
    const invitation = yield* invited()
    const other = yield* keyRecord()
    yield* keys.insert(other)
    const one = yield* redemption(invitation, { hash: other.hash })
    yield* same("failed", Exit.isFailure(yield* Effect.exit(keys.redeem(one))), true)
    yield* same("no use", yield* listed(invitation.id), Option.some(invitation))
    yield* same("find", yield* keys.find(one.key.id), Option.none())
    yield* same("the other key", yield* keys.findByHash(other.hash), Option.some(other))
    const next = yield* redemption(invitation)
    yield* same("then", yield* keys.redeem(next), { _tag: "Redeemed", record: madeBy(next, invitation) })
  }),
  "invitations are listed newest first, in pages; a second one with the same id changes nothing, and one with the same secret is refused":
    Effect.gen(function* () {
      const keys = yield* KeyStore
      const made = yield* Effect.replicateEffect(invited(), 3)
      const [first] = made
      if (first === undefined) return
      yield* keys.invite({ ...first, label: "other", uses: 9, hash: CanonicalJson.hash(`other ${first.id}`) })
      const twin: InvitationRecord = { ...first, id: yield* Id.make("inv") }
      yield* same("the secret of another", Exit.isFailure(yield* Effect.exit(keys.invite(twin))), true)
      const all: Array<InvitationRecord> = []
      let before = Option.none<InvitationRecord["id"]>()
      do {
        const { data, next_cursor } = yield* keys.invitations({ limit: 2, before })
        yield* same("the size of a page", data.length <= 2, true)
        all.push(...data)
        before = next_cursor === null ? Option.none() : Option.map(Option.fromNullable(data.at(-1)), ({ id }) => id)
      } while (Option.isSome(before) && new Set(all.map(({ id }) => id)).size === all.length)
      const ids = all.map(({ id }) => id)
      yield* same("the order", ids, [...new Set(ids)].sort().reverse())
      for (const record of made)
        yield* same(
          "an invitation",
          all.filter(({ id }) => id === record.id),
          [record]
        )
    }),
  "when a key was used is kept for that key alone and never goes back": Effect.gen(function* () {
    const keys = yield* KeyStore
    const used = yield* keyRecord()
    const other = yield* keyRecord()
    yield* keys.insert(used)
    yield* keys.insert(other)
    yield* keys.touch(used.id, noon + 60_000)
    yield* keys.touch(used.id, noon)
    yield* same("used", yield* keys.find(used.id), Option.some({ ...used, lastUsedAt: Option.some(noon + 60_000) }))
    yield* keys.touch(used.id, noon + 120_000)
    yield* same("used", yield* keys.find(used.id), Option.some({ ...used, lastUsedAt: Option.some(noon + 120_000) }))
    yield* same("other", yield* keys.find(other.id), Option.some(other))
    yield* keys.touch(yield* Id.make("key"), noon)
  }),
  "keys that were never used are listed by their age, in pages, and removed unless they are used by then": Effect.gen(
    function* () {
      const keys = yield* KeyStore
      // Long ago, so that what other cases inserted is younger.
      const then = Date.UTC(1999, 0, 1)
      const old = (yield* Effect.replicateEffect(keyRecord({ createdAt: then }), 3)).toSorted((a, b) =>
        a.id < b.id ? -1 : 1
      )
      const used = yield* keyRecord({ createdAt: then, lastUsedAt: Option.some(then) })
      const young = yield* keyRecord({ createdAt: then + 1 })
      for (const record of [...old, used, young]) yield* keys.insert(record)
      const page = (after: Option.Option<KeyRecord["id"]>, limit: number) =>
        keys.unused({ before: then + 1, after, limit })
      const [first, second, third] = old.map(({ id }) => id)
      yield* same("all", yield* page(Option.none(), 9), [first, second, third])
      yield* same("in pages", yield* page(Option.none(), 2), [first, second])
      yield* same("in pages", yield* page(Option.fromNullable(second), 2), [third])
      yield* keys.touch(old[0]?.id ?? used.id, noon)
      const ids = [...old, used].map(({ id }) => id)
      yield* same("removed", yield* keys.removeUnused(ids), 2)
      yield* same("once", yield* keys.removeUnused(ids), 0)
      yield* same("none", yield* keys.removeUnused([]), 0)
      for (const { hash, id } of old.slice(1)) {
        yield* same("find", yield* keys.find(id), Option.none())
        yield* same("findByHash", yield* keys.findByHash(hash), Option.none())
      }
      yield* same("of the past no more", yield* page(Option.none(), 9), [])
      yield* same("a used one stays", yield* keys.find(used.id), Option.some(used))
      yield* same("used in time", Option.isSome(yield* keys.find(old[0]?.id ?? used.id)), true)
      yield* same("a young one stays", yield* keys.find(young.id), Option.some(young))
      yield* same("until it is old", yield* keys.removeUnused([young.id]), 1)
    }
  )
}

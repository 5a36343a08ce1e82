import { Clock, Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { type ApiKey, type CreatedKey, KeyLabel } from "../domain/ApiKey.js"
import type { Caller } from "../domain/Caller.js"
import * as Id from "../domain/Id.js"
import { fromMillis } from "../domain/Timestamp.js"
import { EventStore } from "../storage/EventStore.js"
import { type KeyRecord, KeyStore, refusedSecret, rotatingUntil } from "../storage/KeyStore.js"
import * as Outage from "../storage/Outage.js"
import type { StorageError } from "../storage/StorageError.js"
import { WatchStore } from "../storage/WatchStore.js"
import * as ApiKeySecret from "./ApiKeySecret.js"
import { Entropy } from "./Entropy.js"
import * as Invitations from "./Invitations.js"
import * as Plan from "./Plan.js"

/**
 * A key to create. `label` is 1 to 100 characters after trimming, without control characters. `source` is the address
 * or network that requests it, none if that is not tracked.
 *
 * @since 0.1.0
 * @category models
 */
export interface NewKey {
  readonly label: string
  readonly expiresInSeconds: Option.Option<number>
  readonly source: Option.Option<string>
}

/**
 * A key to create by an invitation. `requestName` names the request, so that it can be repeated after a lost answer; none if
 * it cannot. Such a key has no source: whoever invited answers for it.
 *
 * @since 0.1.0
 * @category models
 */
export interface InvitedKey extends Omit<NewKey, "source"> {
  readonly invitation: Option.Option<Redacted.Redacted<string>>
  readonly requestName: Option.Option<string>
}

/**
 * A new secret for a key: the one that its caller presents is accepted for `overlapSeconds` more, no longer than it would
 * have been, and every other one ends at once.
 *
 * @since 0.1.0
 * @category models
 */
export interface RotateRequest {
  readonly presented: Redacted.Redacted<string>
  readonly overlapSeconds: number
}

/**
 * A caller who is accepted. The answer holds until `until` (epoch milliseconds) if nothing is committed meanwhile: then the
 * key or its secret expires, or its next use has to be noted.
 *
 * @since 0.1.0
 * @category models
 */
export interface Admission {
  readonly caller: Caller
  readonly until: number
}

/**
 * Creates and authenticates API keys.
 *
 * @since 0.1.0
 * @category services
 */
export class Keys extends Context.Tag("@assay/core/Keys")<
  Keys,
  {
    /** Creates a key, stored durably when this returns. Only this answer contains the secret. */
    readonly create: (request: NewKey) => Effect.Effect<CreatedKey, StorageError>
    /**
     * Creates a key by an invitation, in one step with taking a use of it. The same request again, by its name, gives the
     * key another secret as long as nobody has used it.
     */
    readonly redeem: (request: InvitedKey) => Effect.Effect<CreatedKey, InvitationRefused | StorageError>
    /** Returns the caller of a secret. Refuses a wrong checksum before any look-up. */
    readonly authenticate: (secret: Redacted.Redacted<string>) => Effect.Effect<Caller, KeyRefused | StorageError>
    /** As `authenticate`, with the time that the answer may be cached. */
    readonly admit: (secret: Redacted.Redacted<string>) => Effect.Effect<Admission, KeyRefused | StorageError>
    /** The key as its owner sees it. */
    readonly self: (id: ApiKey["id"]) => Effect.Effect<ApiKey, KeyRefused | StorageError>
    /** Names a key anew, stored durably when this returns. The label is trimmed. */
    readonly rename: (id: ApiKey["id"], label: string) => Effect.Effect<ApiKey, KeyRefused | StorageError>
    /**
     * Gives a key a new secret, which only this answer contains. Its quota, watches and executions stay. The event log of
     * the key has `key.rotated` afterwards.
     */
    readonly rotate: (request: RotateRequest) => Effect.Effect<CreatedKey, KeyRefused | StorageError>
    /** Whether a secret is still accepted, for what lasts longer than a request. It is no use of the key. */
    readonly isUsable: (secret: Redacted.Redacted<string>) => Effect.Effect<boolean, StorageError>
    /**
     * Ends a key for good, from the moment this returns: `authenticate` refuses it as `key_revoked`, and each of its watches
     * is suspended when it is next due.
     */
    readonly revoke: (id: ApiKey["id"]) => Effect.Effect<void, StorageError>
  }
>() {}

/**
 * Settings of keys. `dailyQuota` is what a new key has, 50 units per UTC day by default, and `plans` the units of each plan.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly dailyQuota?: number | undefined
  readonly plans?: Plan.Plans | undefined
}

/** How long uses of keys are gathered before they are stored. */
const gathering = "1 second"

/**
 * Keys over a store. The time of last use is stored to the minute, off the request path, those of a second together: if it
 * cannot be stored, the request is not refused.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<Keys, never, KeyStore | WatchStore | EventStore | Entropy> =>
  Layer.scoped(
    Keys,
    Effect.gen(function* () {
      const store = yield* KeyStore
      const watches = yield* WatchStore
      const events = yield* EventStore
      const entropy = yield* Entropy
      const scope = yield* Effect.scope
      const dailyQuota = options.dailyQuota ?? 50
      const plans = options.plans ?? Plan.none
      const uses = new Map<ApiKey["id"], number>()

      /** At once, so that they share a commit: after each, nothing that was read before is used again. */
      const storeUses = Effect.suspend(() => {
        const waiting = [...uses]
        uses.clear()
        return Effect.forEach(
          waiting,
          ([id, minute]) =>
            Effect.catchAllCause(store.touch(id, minute), (cause) =>
              Outage.note("The use of a key could not be noted", cause)
            ),
          { concurrency: "unbounded", discard: true }
        )
      })

      const noteUse = (record: KeyRecord, now: number): Effect.Effect<void> => {
        const minute = now - (now % 60_000)
        if (uses.get(record.id) === minute || Option.exists(record.lastUsedAt, (noted) => noted >= minute))
          return Effect.void
        uses.set(record.id, minute)
        return uses.size > 1 ? Effect.void : Effect.asVoid(Effect.forkIn(Effect.delay(storeUses, gathering), scope))
      }

      const accept = Effect.fnUntraced(function* (presented: Redacted.Redacted<string>) {
        const secret = ApiKeySecret.parse(presented)
        if (Option.isNone(secret)) return yield* new KeyRefused({ reason: "invalid_key" })
        const hash = ApiKeySecret.hash(secret.value)
        const found = yield* store.findByHash(hash)
        if (Option.isNone(found)) return yield* new KeyRefused({ reason: "invalid_key" })
        const record = found.value
        const now = yield* Clock.currentTimeMillis
        const reason = refusedSecret(record, hash, now)
        if (Option.isSome(reason)) return yield* new KeyRefused({ reason: reason.value })
        return { record, hash, now }
      })

      const admit = Effect.fnUntraced(function* (presented: Redacted.Redacted<string>) {
        const { hash, now, record } = yield* accept(presented)
        yield* noteUse(record, now)
        const nextMinute = now - (now % 60_000) + 60_000
        const ends = [
          ...Option.toArray(record.expiresAt),
          ...Option.toArray(record.former).flatMap((former) => (former.hash === hash ? [former.endsAt] : []))
        ]
        return {
          caller: Plan.callerOf(plans, record),
          until: Math.min(nextMinute, ...ends)
        } satisfies Admission
      })

      const newSecret = Effect.provideService(ApiKeySecret.make, Entropy, entropy)
      const trimmed = (label: string) => Effect.orDie(Schema.decode(KeyLabel)(label.trim()))

      const newKey = Effect.fnUntraced(function* (request: NewKey) {
        const label = yield* trimmed(request.label)
        const secret = yield* newSecret
        const now = yield* Clock.currentTimeMillis
        const record: KeyRecord = {
          id: yield* Id.make("key"),
          hashVersion: 1,
          hash: ApiKeySecret.hash(secret),
          hint: ApiKeySecret.hint(secret),
          label,
          state: "active",
          dailyQuota,
          createdAt: now,
          expiresAt: Option.map(request.expiresInSeconds, (seconds) => now + seconds * 1000),
          lastUsedAt: Option.none(),
          source: request.source,
          former: Option.none(),
          plan: Option.none(),
          invitation: Option.none()
        }
        return { record, secret }
      })

      const shown = (record: KeyRecord, secret: Redacted.Redacted<string>): CreatedKey => ({
        key: Redacted.value(secret),
        hint: record.hint,
        label: record.label,
        daily_quota: Plan.quotaOf(plans, record),
        note
      })

      const show = Effect.fnUntraced(function* (record: KeyRecord) {
        const counts = yield* Effect.all({
          watches: watches.count(record.id),
          webhooks: Effect.map(events.webhooks(record.id), (all) => all.length)
        })
        return document(plans, record, counts, yield* Clock.currentTimeMillis)
      })

      /** The key has its new secret already, so nothing fails because its owner is not notified. */
      const announce = ({ hint, id }: KeyRecord, endsAt: number, now: number) =>
        events
          .append(
            [
              {
                id: Id.derive("evt", id, hint, String(now)),
                keyId: id,
                timestamp: fromMillis(now),
                body: { type: "key.rotated", data: { hint, old_ends_at: fromMillis(endsAt) } },
                only: null
              }
            ],
            now
          )
          .pipe(
            Effect.catchAllCause((cause) =>
              Outage.note("The rotation of a key could not be put on the event log", cause)
            )
          )

      return {
        create: Effect.fn("Keys.create")(function* (request: NewKey) {
          const { record, secret } = yield* newKey(request)
          yield* store.insert(record)
          return shown(record, secret)
        }),
        redeem: Effect.fn("Keys.redeem")(function* ({ invitation, requestName, ...request }: InvitedKey) {
          if (Option.isNone(invitation)) return yield* new InvitationRefused({ reason: "missing" })
          const hash = Invitations.parse(invitation.value)
          if (Option.isNone(hash)) return yield* new InvitationRefused({ reason: "malformed" })
          const { record, secret } = yield* newKey({ ...request, source: Option.none() })
          const answer = yield* store.redeem({
            invitation: hash.value,
            request: Option.map(requestName, Invitations.requestOf),
            key: record,
            now: record.createdAt
          })
          return answer._tag === "Redeemed"
            ? shown(answer.record, secret)
            : yield* new InvitationRefused({ reason: answer.reason })
        }),
        authenticate: Effect.fn("Keys.authenticate")((presented: Redacted.Redacted<string>) =>
          Effect.map(admit(presented), ({ caller }) => caller)
        ),
        admit: Effect.fn("Keys.admit")(admit),
        self: Effect.fn("Keys.self")(function* (id: ApiKey["id"]) {
          const found = yield* store.find(id)
          if (Option.isNone(found)) return yield* new KeyRefused({ reason: "invalid_key" })
          return yield* show(found.value)
        }),
        rename: Effect.fn("Keys.rename")(function* (id: ApiKey["id"], label: string) {
          const found = yield* store.change(id, { label: yield* trimmed(label) })
          if (Option.isNone(found)) return yield* new KeyRefused({ reason: "invalid_key" })
          return yield* show(found.value)
        }),
        rotate: Effect.fn("Keys.rotate")(function* ({ overlapSeconds, presented }: RotateRequest) {
          const { hash, now, record } = yield* accept(presented)
          const secret = yield* newSecret
          const hint = ApiKeySecret.hint(secret)
          const found = yield* store.rotate(record.id, {
            presented: hash,
            hash: ApiKeySecret.hash(secret),
            hint,
            endsAt: now + overlapSeconds * 1000,
            now
          })
          // It has ended since it was accepted, by another rotation or by the revocation of its key.
          if (Option.isNone(found))
            return yield* Effect.zipRight(accept(presented), new KeyRefused({ reason: "invalid_key" }))
          yield* announce(
            found.value,
            Option.match(found.value.former, { onNone: () => now, onSome: ({ endsAt }) => endsAt }),
            now
          )
          return shown(found.value, secret)
        }),
        isUsable: Effect.fn("Keys.isUsable")((secret: Redacted.Redacted<string>) =>
          accept(secret).pipe(
            Effect.as(true),
            Effect.catchTag("KeyRefused", () => Effect.succeed(false))
          )
        ),
        revoke: Effect.fn("Keys.revoke")((id: ApiKey["id"]) => Effect.asVoid(store.change(id, { state: "revoked" })))
      }
    })
  )

const note = "Store this key now. It is shown once and cannot be recovered."

const document = (plans: Plan.Plans, record: KeyRecord, counts: ApiKey["counts"], now: number): ApiKey => ({
  id: record.id,
  label: record.label,
  hint: record.hint,
  state: record.state,
  daily_quota: Plan.quotaOf(plans, record),
  plan: Option.match(record.plan, {
    onNone: () => null,
    onSome: (name) => ({ name, configured: plans.has(name) })
  }),
  created_at: fromMillis(record.createdAt),
  expires_at: Option.getOrNull(Option.map(record.expiresAt, fromMillis)),
  last_used_at: Option.getOrNull(Option.map(record.lastUsedAt, fromMillis)),
  rotating_until: Option.getOrNull(Option.map(rotatingUntil(record, now), fromMillis)),
  counts
})

/**
 * The presented key is not accepted. Only a key that matches a stored hash is reported as expired, revoked or disabled;
 * everything else is `invalid_key`.
 *
 * @since 0.1.0
 * @category errors
 */
export class KeyRefused extends Schema.TaggedError<KeyRefused>()("KeyRefused", {
  reason: Schema.Literal("invalid_key", "key_expired", "key_revoked", "key_disabled")
}) {}

/**
 * No key is made: there is no invitation, or it has another form, nobody has made it, its time is over, or its uses are
 * taken. A caller must not learn which.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvitationRefused extends Schema.TaggedError<InvitationRefused>()("InvitationRefused", {
  reason: Schema.Literal("missing", "malformed", "unknown", "ended", "used_up")
}) {}

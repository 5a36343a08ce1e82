import * as Chains from "@assay/core/chain/Chains"
import type * as Caller from "@assay/core/domain/Caller"
import type * as Id from "@assay/core/domain/Id"
import * as ResultView from "@assay/core/domain/ResultView"
import * as Watch from "@assay/core/domain/Watch"
import type * as WatchHistory from "@assay/core/domain/WatchHistory"
import * as Watches from "@assay/core/watches/Watches"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Array, Effect, Option } from "effect"
import { Api } from "../../api/Api.js"
import { CurrentCaller } from "../../api/Authentication.js"
import * as Parameters from "../../api/Parameters.js"
import { interval, type NewWatch, type WatchPatch } from "../../api/WatchesGroup.js"
import * as IdempotencyKey from "../edge/IdempotencyKey.js"
import { type Basis, Replay, untilCommitted } from "../edge/Replay.js"
import * as Accept from "../representation/Accept.js"
import * as EntityTag from "../representation/EntityTag.js"
import * as Problems from "../representation/Problems.js"
import * as StoredText from "../representation/StoredText.js"

export const layer = HttpApiBuilder.group(Api, "watches", (handlers) =>
  Effect.gen(function* () {
    const chains = yield* Chains.Chains
    const replay = yield* Replay
    const watches = yield* Watches.Watches

    const document = (caller: Caller.Caller, id: Id.WatchId, request: HttpServerRequest.HttpServerRequest) => {
      const watch = shown(watches, caller, id)
      return Effect.tap(watch, (found) => replay.holds(request, tagged(found), Effect.map(watch, tagged)))
    }

    return handlers
      .handle("create", ({ payload, request }) =>
        Effect.flatMap(IdempotencyKey.of(request), (idempotencyKey) =>
          Effect.all({ caller: CurrentCaller, chain: chains.find(Option.fromNullable(payload.chain)) }).pipe(
            Effect.flatMap(({ caller, chain }) =>
              watches.create(caller, { ...newWatch(payload, chain), idempotencyKey })
            ),
            Effect.map((created) =>
              versioned(created, { status: 201, location: `/api/v1/watches/${created.value.id}` })
            ),
            Problems.translate
          )
        )
      )
      .handle("list", ({ request, urlParams }) =>
        CurrentCaller.pipe(
          Effect.flatMap((caller) => {
            const list = watches.list(
              caller,
              {
                state: Option.fromNullable(urlParams.state),
                kind: Option.fromNullable(urlParams.target),
                address: Option.fromNullable(urlParams.address),
                failing: Option.fromNullable(urlParams.failing)
              },
              pageOf(urlParams)
            )
            return Effect.tap(list, (page) => replay.holds(request, listed(page), Effect.map(list, listed)))
          }),
          Problems.translate
        )
      )
      .handle("get", ({ path, request }) =>
        CurrentCaller.pipe(
          Effect.flatMap((caller) =>
            wantsPage(request)
              ? Effect.flatMap(watches.history(caller, path.watch_id), pageOfHistory)
              : Effect.map(document(caller, path.watch_id, request), (found) => unlessKnown(request, found))
          ),
          Effect.map(HttpServerResponse.setHeader("vary", "Accept")),
          Problems.translate
        )
      )
      .handle("change", ({ path, payload, request }) =>
        Effect.all({ caller: CurrentCaller, expected: EntityTag.expected(request) }).pipe(
          Effect.flatMap(({ caller, expected }) =>
            atVersion(
              expected,
              (revision) => watches.change(caller, path.watch_id, changeOf(payload), revision),
              Effect.zipRight(watches.get(caller, path.watch_id), new Watches.RevisionMismatch({ id: path.watch_id }))
            ).pipe(Problems.translate)
          ),
          Effect.map((changed) => versioned(changed, { status: 200 }))
        )
      )
      .handle("pause", ({ path }) =>
        CurrentCaller.pipe(
          Effect.flatMap((caller) => watches.pause(caller, path.watch_id)),
          Effect.map((paused) => versioned(paused, { status: 200 })),
          Problems.translate
        )
      )
      .handle("resume", ({ path }) =>
        CurrentCaller.pipe(
          Effect.flatMap((caller) => watches.resume(caller, path.watch_id)),
          Effect.map((resumed) => versioned(resumed, { status: 200 })),
          Problems.translate
        )
      )
      .handle("remove", ({ path }) =>
        CurrentCaller.pipe(
          Effect.flatMap((caller) => watches.remove(caller, path.watch_id)),
          Problems.translate
        )
      )
      .handle("run", ({ path }) =>
        CurrentCaller.pipe(
          Effect.flatMap((caller) => watches.runNow(caller, path.watch_id)),
          Problems.translate
        )
      )
      .handle("runs", ({ path, urlParams }) =>
        CurrentCaller.pipe(
          Effect.flatMap((caller) => watches.runs(caller, path.watch_id, pageOf(urlParams))),
          Problems.translate
        )
      )
      .handle("changes", ({ path, urlParams }) =>
        CurrentCaller.pipe(
          Effect.flatMap((caller) => watches.changes(caller, path.watch_id, pageOf(urlParams))),
          Problems.translate
        )
      )
  })
)

const wantsPage = (request: HttpServerRequest.HttpServerRequest): boolean =>
  Accept.preferred(request.headers.accept, Parameters.watchTypes) === "text/html"

const pageOfHistory = (history: WatchHistory.WatchHistory) =>
  Effect.map(
    Effect.promise(() => import("@assay/core/report/WatchHtml")),
    (WatchHtml) => HttpServerResponse.text(WatchHtml.make(history), { contentType: "text/html; charset=utf-8" })
  )

const listed = (page: object): Basis => untilCommitted(JSON.stringify(page))
const tagged = ({ revision, value }: Watches.Versioned<string>): Basis =>
  untilCommitted(EntityTag.make(revision, value))

const pageOf = (query: { readonly limit?: number | undefined; readonly cursor?: string | undefined }) => ({
  limit: query.limit ?? 20,
  cursor: Option.fromNullable(query.cursor)
})

const newWatch = (body: typeof NewWatch.Type, chain: Chains.Chain): Watches.NewWatch => ({
  kind: body.target,
  address: body.address,
  chain,
  label: body.label ?? "",
  intervalSeconds: body.interval_seconds ?? interval.default,
  options: {
    min_severity: body.options?.min_severity ?? Watch.defaultOptions.min_severity,
    ignore: body.options?.ignore ?? Watch.defaultOptions.ignore,
    thresholds: body.options?.thresholds ?? Watch.defaultOptions.thresholds,
    verify: body.options?.verify ?? Watch.defaultOptions.verify,
    notify_unchanged: body.options?.notify_unchanged ?? Watch.defaultOptions.notify_unchanged
  },
  paused: body.paused ?? false
})

const changeOf = (body: typeof WatchPatch.Type): Watches.WatchChange => ({
  label: body.label,
  intervalSeconds: body.interval_seconds,
  options: body.options
})

// An edit is atomic, so each revision in If-Match is tried in turn; without If-Match any revision matches.
const atVersion = <A, E>(
  expected: Option.Option<ReadonlyArray<number>>,
  change: (revision: Option.Option<number>) => Effect.Effect<A, E | Watches.RevisionMismatch>,
  refused: Effect.Effect<A, E | Watches.RevisionMismatch>
): Effect.Effect<A, E | Watches.RevisionMismatch> =>
  Option.match(expected, {
    onNone: () => change(Option.none()),
    onSome: (revisions) =>
      Array.reduceRight(revisions, refused, (others, revision) =>
        Effect.catchIf(
          change(Option.some(revision)),
          (error) => error instanceof Watches.RevisionMismatch,
          () => others
        )
      )
  })

const versioned = (
  { revision, value }: Watches.Versioned<object>,
  place: { readonly status: number; readonly location?: string }
): HttpServerResponse.HttpServerResponse => ofText({ revision, value: JSON.stringify(value) }, place)

const ofText = (
  { revision, value }: Watches.Versioned<string>,
  { location, status }: { readonly status: number; readonly location?: string }
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(value, {
    status,
    contentType: "application/json",
    headers: { etag: EntityTag.make(revision, value), ...(location === undefined ? {} : { location }) }
  })

/** A watch with its last result, as text: the result is what is stored, unless it cannot be read as it is. */
const shown = (watches: Watches.Watches["Type"], caller: Caller.Caller, id: Id.WatchId) =>
  watches.document(caller, id).pipe(
    Effect.flatMap(({ revision, value: { lastResult, watch } }) =>
      Effect.map(Effect.transposeMapOption(lastResult, StoredText.light), (last) => ({
        revision,
        value: `${JSON.stringify(watch).slice(0, -1)},"last_result":${Option.getOrElse(last, () => "null")}}`
      }))
    ),
    Effect.catchTag("Unreadable", () =>
      Effect.map(watches.get(caller, id), ({ revision, value }) => ({
        revision,
        value: JSON.stringify({ ...value, last_result: value.last_result && ResultView.light(value.last_result) })
      }))
    )
  )

const unlessKnown = (
  request: HttpServerRequest.HttpServerRequest,
  found: Watches.Versioned<string>
): HttpServerResponse.HttpServerResponse => {
  const response = ofText(found, { status: 200 })
  const { etag = "" } = response.headers
  return EntityTag.isKnown(request, etag) ? HttpServerResponse.empty({ status: 304, headers: { etag } }) : response
}

/** @internal */

import { Clock, Effect, Either, Encoding, Option } from "effect"
import { sha256 } from "#sha256"
import type { Chain } from "../chain/Chains.js"
import * as BlockUse from "../chain/state/BlockUse.js"
import type { ChainState } from "../chain/state/ChainState.js"
import type { Analysis } from "../domain/Analysis.js"
import * as Timestamp from "../domain/Timestamp.js"
import type { Earlier } from "../facts/code/Earlier.js"
import * as Together from "../runtime/Together.js"
import type { AnalyzeRequest } from "./AnalyzeRequest.js"
import * as BlockSymbols from "./BlockSymbols.js"
import * as NotedReads from "./NotedReads.js"

/**
 * Analyses of targets at which nothing happened since the last ones. What two full analyses at two blocks read and
 * concluded is kept, where the second is the first but for what follows from the block. The next one makes the same reads
 * in one level. Where each is answered, and as it was but for what follows from the block, the document follows from the
 * kept one, and is the one that a full analysis would make. In any other case a full analysis goes on with what was read.
 */
export interface QuietRuns {
  /**
   * The analysis at this block, where all is as it was, and what is read then beside it: the block is looked at once more
   * after that.
   */
  readonly takeOver: <A, R>(
    request: Request,
    state: ChainState["Type"],
    beside: Effect.Effect<A, never, R>
  ) => Effect.Effect<Option.Option<readonly [analysis: Analysis, beside: A]>, never, R>
  /** How many calls may be made to find out whether all is as it was. */
  readonly calls: (request: Request) => number
  /** Keeps what a full analysis read and concluded. */
  readonly keep: (request: Request, reads: NotedReads.NotedReads, analysis: Analysis) => Effect.Effect<void>
}

export interface Request extends Pick<AnalyzeRequest, "kind" | "address"> {
  readonly chain: Chain
  readonly earlier: Earlier["Type"]["analysis"]
}

export const make = (options: { readonly maxBytes: number }): QuietRuns => {
  const kept = new Map<string, Kept>()
  let bytes = 0
  const forget = (key: string) => {
    bytes -= kept.get(key)?.bytes ?? 0
    kept.delete(key)
  }
  const put = (key: string, entry: Kept) => {
    forget(key)
    kept.set(key, entry)
    bytes += entry.bytes
    for (const [oldest] of kept) {
      if (bytes <= options.maxBytes) break
      forget(oldest)
    }
  }

  const takeOver: QuietRuns["takeOver"] = (request, state, beside) =>
    Effect.suspend(() => {
      const key = keyOf(request)
      const entry = kept.get(key)
      const { block } = state
      if (entry?.proven === undefined || block.number <= entry.number) return Effect.succeedNone
      const { comparisons, derivations, left, packed } = entry.proven
      const isPassed = comparisons.some((each) => BlockUse.reaches(block, each) !== each.isReached)
      if (isPassed || left === 0) return Effect.succeedNone
      put(key, { ...entry, proven: { ...entry.proven, left: left - 1 } })
      return again(request, state, derivations, unpack(packed), beside)
    })

  const keep: QuietRuns["keep"] = (request, reads, analysis) =>
    Effect.gen(function* () {
      const key = keyOf(request)
      // A lost read says nothing of the target.
      if (analysis.status !== "complete" || reads.taken() === undefined) return
      const texts = yield* Effect.option(textsOf(request, reads, analysis))
      if (Option.isNone(texts)) return forget(key)
      const text = print(texts.value)
      const hash = Encoding.encodeHex(sha256(text))
      const { number } = analysis.block
      const { calls } = yield* reads.state.spending
      const before = kept.get(key)
      const isSame = before !== undefined && before.hash === hash && before.number < number
      const packed = isSame ? pack(text) : undefined
      put(key, {
        hash,
        number,
        bytes: 500 + (packed?.byteLength ?? 0),
        proven:
          packed === undefined
            ? undefined
            : {
                packed,
                calls: Math.max(texts.value.requests.length, calls) + lensCalls,
                derivations: reads.use.derived,
                comparisons: [...reads.use.comparisons.values()],
                left: mostInARow
              }
      })
    })

  return { takeOver, keep, calls: (request) => kept.get(keyOf(request))?.proven?.calls ?? 0 }
}

interface Kept {
  /** Of the texts. */
  readonly hash: string
  /** Of the block of the last full analysis. */
  readonly number: number
  readonly bytes: number
  /** None before a second full analysis gave the same texts. */
  readonly proven:
    | {
        readonly packed: Uint8Array
        readonly calls: number
        readonly derivations: BlockSymbols.BlockSymbols["derivations"]
        readonly comparisons: ReadonlyArray<BlockUse.Comparison>
        /** How often it is taken over before the next full analysis. */
        readonly left: number
      }
    | undefined
}

// More than the lenses that reads of one level travel in.
const lensCalls = 20

/** A day of hourly checks. */
const mostInARow = 24

const keyOf = ({ address, chain, kind }: Request): string => `${kind} ${address} ${JSON.stringify(chain)}`

/** What an analysis read and concluded, with symbols for what follows from its block. */
interface Texts {
  /** What it was given beside its reads: what the endpoint can do, and what was found earlier. */
  readonly given: string
  readonly requests: ReadonlyArray<string>
  readonly answers: ReadonlyArray<string>
  /** The document without recipes; observations are places of reads. */
  readonly document: string
}

// JSON has no line breaks of its own.
const print = ({ answers, document, given, requests }: Texts): string =>
  [given, document, ...requests, ...answers].join("\n")

const parse = (text: string): Texts => {
  const [given = "", document = "", ...reads] = text.split("\n")
  const half = reads.length / 2
  return { given, document, requests: reads.slice(0, half), answers: reads.slice(half) }
}

const givenTo = (request: Request, state: ChainState["Type"]) =>
  Effect.map(state.capabilities, (capabilities) => JSON.stringify([capabilities, Option.map(request.earlier, foundOf)]))

const foundOf = ({ facts: { account, safe, unread } }: Option.Option.Value<Request["earlier"]>) => ({
  account: account === null ? null : { kind: account.kind, code_hash: account.code_hash },
  safe,
  unread: unread.safe
})

const originOf = ({ earlier }: Request, { block }: ChainState["Type"]): BlockSymbols.Origin => ({
  block,
  earlier: Option.getOrUndefined(Option.map(earlier, (analysis) => analysis.block.number))
})

/** Why an analysis is made in full: something of it is not known, or is another than it was. */
const other = "other" as const

const textsOf = (request: Request, { state, taken, use }: NotedReads.NotedReads, analysis: Analysis) =>
  Effect.gen(function* () {
    const reads = use.looked() ? undefined : taken()
    if (reads === undefined) return yield* Effect.fail(other)
    const symbols = BlockSymbols.make(use, originOf(request, { ...state, block: analysis.block }))
    const noted = reads.flatMap(({ isObserved, reading, request }) => {
      const [asked, answer] = [symbols.of(request), symbols.of(NotedReads.print(reading.value))]
      return asked === undefined || answer === undefined ? [] : [{ request: asked, answer, reading, isObserved }]
    })
    // In an order that does not depend on when each was answered.
    noted.sort((a, b) => (a.request < b.request ? -1 : 1))
    const places = new Map(
      noted.flatMap(({ isObserved, reading }, place) => (isObserved ? [[hashesOf(reading.observation()), place]] : []))
    )
    const evidence = analysis.evidence.map((item) => ({
      ...item,
      observation: item.observation === null ? null : placed(places.get(hashesOf(item.observation)))
    }))
    const sources = analysis.sources.map((source) => ({ ...source, fetched_at: null }))
    const document = symbols.of(JSON.stringify({ ...analysis, evidence, sources, recipes: [] }))
    const isWhole = noted.length === reads.length && evidence.every(({ observation }) => observation !== unplaced)
    if (document === undefined || !isWhole) return yield* Effect.fail(other)
    return {
      given: yield* givenTo(request, state),
      document,
      requests: noted.map(({ request }) => request),
      answers: noted.map(({ answer }) => answer)
    } satisfies Texts
  })

/** Not a number, which could be that of a block. */
const placed = (place: number | undefined): string => (place === undefined ? unplaced : `read ${place}`)
const placeOf = (text: string): number => Number(text.slice("read ".length))
const unplaced = "none"

const hashesOf = ({ answer_hash, method, params_hash }: NonNullable<Analysis["evidence"][number]["observation"]>) =>
  `${method} ${params_hash} ${answer_hash}`

const again = <A, R>(
  request: Request,
  state: ChainState["Type"],
  derivations: BlockSymbols.BlockSymbols["derivations"],
  text: string,
  beside: Effect.Effect<A, never, R>
): Effect.Effect<Option.Option<readonly [Analysis, A]>, never, R> =>
  Effect.gen(function* () {
    const { answers, document, given, requests } = parse(text)
    if ((yield* givenTo(request, state)) !== given) return Option.none()
    const { blockByHash } = yield* state.capabilities
    const fill = BlockSymbols.filler(derivations, originOf(request, state))
    const isCanonical = Effect.flatMap(state.stillCanonical, (stands) => (stands ? Effect.void : Effect.fail(other)))
    const { readings } = yield* Together.all({
      readings: Together.forEach(requests, (each, place) =>
        Effect.flatMap(NotedReads.repeat(state, fill(each)), (reading) =>
          NotedReads.print(reading.value) === fill(answers[place] ?? "") ? Effect.succeed(reading) : Effect.fail(other)
        )
      ),
      canonical: blockByHash ? isCanonical : Effect.void
    })
    const found = yield* beside
    // Reads by number are of the block if it is still there after the last one.
    if (!blockByHash) yield* isCanonical
    const taken = JSON.parse(fill(document)) as Omit<Analysis, "evidence"> & {
      readonly evidence: ReadonlyArray<
        Omit<Analysis["evidence"][number], "observation"> & { observation: string | null }
      >
    }
    const evidence = taken.evidence.map((item) => ({
      ...item,
      observation: item.observation === null ? null : (readings[placeOf(item.observation)]?.observation() ?? null)
    })) as Analysis["evidence"]
    const now = Timestamp.fromMillis(yield* Clock.currentTimeMillis)
    const sources = taken.sources.map((source) => ({ ...source, fetched_at: now }))
    const analysis: Analysis = { ...taken, evidence, recipes: recipesOf(evidence, yield* state.recipes), sources }
    return Option.some([analysis, found] as const)
  }).pipe(Effect.either, Effect.map(Either.getRight), Effect.map(Option.flatten))

/** Those behind the evidence, so that a document holds no more of them than a reader can use. */
export const recipesOf = (evidence: Analysis["evidence"], all: Analysis["recipes"]): Analysis["recipes"] => {
  const wanted = new Set(
    evidence.flatMap(({ observation }) =>
      observation === null ? [] : [`${observation.method} ${observation.params_hash}`]
    )
  )
  return all.filter(({ method, params_hash }) => wanted.has(`${method} ${params_hash}`))
}

// Taken from the runtime and not imported: a browser has no such module, and keeps the text as it is.
const zlib = globalThis.process?.getBuiltinModule?.("node:zlib")

const pack = (text: string): Uint8Array => {
  const plain = new TextEncoder().encode(text)
  return zlib === undefined ? plain : zlib.deflateRawSync(plain, { level: 1 })
}

const unpack = (packed: Uint8Array): string =>
  new TextDecoder().decode(zlib === undefined ? packed : zlib.inflateRawSync(packed))

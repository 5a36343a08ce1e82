/** @internal */

import { Clock, Data, DateTime, Duration, Effect, Either, Option, Schema } from "effect"
import type { UnknownReason } from "../../domain/Evidence.js"
import type { Hex } from "../../domain/Hex.js"
import type { EndpointFailure } from "../EndpointFailure.js"
import * as RpcValue from "./RpcValue.js"
import type { Transport, TransportError, TransportReply } from "./Transport.js"

/** One JSON-RPC call. */
export interface RpcCall {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** What a call was answered. A revert is one of the answers: the chain was read, and it said no. */
export type RpcAnswer =
  | { readonly _tag: "Result"; readonly result: unknown }
  | { readonly _tag: "Reverted"; readonly data: Hex }

/**
 * Why a call got no answer from one endpoint.
 *
 * - `spread` is `"endpoint"` where the whole request failed, `"call"` where the endpoint failed this call alone.
 * - `kind` parts what the reason alone does not: whether the endpoint was there at all (`unreachable`, `timeout`,
 *   `outage` for HTTP 5xx), whether a smaller batch may pass (`refused`, `oversized`), that a scan of events is not made
 *   without an address, however narrow (`addressless`), and that the endpoint has not seen the block yet (`behind`; with
 *   `log_range_limited` where its words also mean a scan that is too wide).
 * - `retryable` says that the same endpoint may answer in a moment, `elsewhere` that another one may.
 * - `blockSpan` is the number of blocks that the endpoint said it scans at once.
 * - `failure` is what is wrong with the endpoint, where more is known than the reason says.
 */
export interface Fault {
  readonly reason: UnknownReason
  readonly kind: "unreachable" | "timeout" | "outage" | "refused" | "oversized" | "addressless" | "behind" | "failed"
  readonly spread: "endpoint" | "call"
  readonly retryable: boolean
  readonly elsewhere: boolean
  readonly retryAfter: Option.Option<Duration.Duration>
  readonly blockSpan: Option.Option<number>
  readonly detail: string
  readonly failure?: EndpointFailure | undefined
}

/** What is wrong with an endpoint that gave this fault for a call that every analysis needs. */
export const failureOf = ({ detail, failure, reason }: Fault): EndpointFailure =>
  failure ?? (reason === "rate_limited" ? { code: "rate_limited" } : { code: "endpoint_refused", detail })

export const fault = (options: Pick<Fault, "reason" | "detail"> & Partial<Fault>): Fault => ({
  kind: "failed",
  spread: "call",
  retryable: false,
  elsewhere: true,
  retryAfter: Option.none(),
  blockSpan: Option.none(),
  ...options
})

/** The fault of an answer that does not fit the call. */
export const garbage = (detail: string): Fault => fault({ reason: "rpc_error", retryable: true, detail })

/** A call that is not sent, since its reader has used up what it may send. */
export const overBudget: Fault = fault({
  reason: "budget_exhausted",
  elsewhere: false,
  detail: "the analysis has used up its calls"
})

/** The result of an answer; none of a revert. */
export const resultOf = (answer: RpcAnswer): Option.Option<unknown> =>
  answer._tag === "Result" ? Option.some(answer.result) : Option.none()

/**
 * Sends calls in one HTTP request, as a batch where there are several, and gives one answer a call, in their order.
 * Answers are matched by id, so that one bad item fails alone.
 *
 * @see https://www.jsonrpc.org/specification
 */
export const exchange = (
  transport: Transport["Type"],
  url: string,
  calls: ReadonlyArray<RpcCall>,
  clean: (text: string) => string = redact(url)
): Effect.Effect<ReadonlyArray<Either.Either<RpcAnswer, Fault>>> => {
  const bodies = calls.map((call, index) => ({
    jsonrpc: "2.0",
    id: index + 1,
    method: call.method,
    params: call.params
  }))
  const body = JSON.stringify(bodies.length === 1 ? bodies[0] : bodies)
  return Effect.suspend(() => transport.post(url, body)).pipe(
    Effect.filterOrDieMessage(isReply, "it gave no reply of status, headers and body"),
    Effect.catchAllDefect((thrown) => new Broken({ detail: clean(messageOfThrown(thrown)) })),
    Effect.flatMap((reply) =>
      Effect.map(retryAfter(reply), (after) =>
        read(reply, calls, clean, after).map((answer) =>
          Either.mapLeft(Either.mapLeft(answer, lasting(after)), unauthorized(reply.status))
        )
      )
    ),
    Effect.catchAll((error) => {
      const lost = calls.map((call) => Either.left(lostBy(error, call.method)))
      return Effect.succeed(lost)
    }),
    Effect.map((answers) =>
      answers.map((answer, place) => (isWideScan(calls[place]) ? Either.mapLeft(answer, tooWide) : answer))
    )
  )
}

/** A transport of others may give anything, or throw. */
class Broken extends Data.TaggedError("Broken")<{ readonly detail: string }> {}

const isReply = Schema.is(
  Schema.Struct({
    status: Schema.Int,
    headers: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
    body: Schema.String
  })
)

const messageOfThrown = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))

/** Some endpoints say in JSON-RPC what their status says of the key. */
const unauthorized =
  (status: number) =>
  (self: Fault): Fault =>
    isUnauthorized(status) ? { ...self, failure: { code: "endpoint_unauthorized", status } } : self

const isUnauthorized = (status: number): boolean => status === 401 || status === 403 || status === 407

/** Whether a call scans more than one block for events. */
const isWideScan = (call: RpcCall | undefined): boolean => {
  if (call?.method !== "eth_getLogs") return false
  const filter = Option.getOrElse(RpcValue.parseRecord(call.params[0]), () => ({ fromBlock: "", toBlock: "" }))
  return filter.fromBlock !== filter.toBlock
}

/**
 * Endpoints report a too wide scan in many ways: by a gateway timeout, by an internal error, by a text of their own. So
 * every failure of a wide scan leads to a narrower try, except those with another clear cause.
 */
const tooWide = (self: Fault): Fault => {
  const isOther =
    self.reason === "log_range_limited" ||
    self.reason === "rate_limited" ||
    self.reason === "method_unsupported" ||
    self.kind === "unreachable" ||
    self.kind === "behind"
  return isOther ? self : { ...self, reason: "log_range_limited", kind: "failed", spread: "call", retryable: false }
}

const lasting =
  (after: Option.Option<Duration.Duration>) =>
  (self: Fault): Fault =>
    self.reason === "rate_limited" && Option.isNone(self.retryAfter) ? { ...self, retryAfter: after } : self

const lostBy = (error: TransportError | Broken, method: string): Fault => {
  const scansLogs = method === "eth_getLogs"
  if (error._tag === "Broken")
    return fault({
      reason: "rpc_error",
      spread: "endpoint",
      retryable: true,
      detail: `the transport failed: ${error.detail}`,
      failure: { code: "transport_failed", detail: error.detail }
    })
  switch (error.reason) {
    case "unreachable":
      return fault({
        reason: "rpc_error",
        kind: "unreachable",
        spread: "endpoint",
        retryable: true,
        detail: "the endpoint could not be reached",
        // A client that decompresses by itself says so as a failure of the connection: https://nodejs.org/api/zlib.html
        failure: /^(?:Z|ZSTD)_|BROTLI/.test(error.systemCode ?? "")
          ? { code: "endpoint_not_json_rpc", content_type: null, body: "undecodable" }
          : { code: "endpoint_unreachable", system_code: error.systemCode ?? null }
      })
    case "url_invalid":
      return fault({
        reason: "rpc_error",
        kind: "unreachable",
        spread: "endpoint",
        detail: "the endpoint has a URL that cannot be sent to",
        failure: { code: "endpoint_url_invalid" }
      })
    case "timeout":
      return fault({
        reason: scansLogs ? "log_range_limited" : "rpc_error",
        kind: "timeout",
        spread: "endpoint",
        retryable: true,
        detail: `the endpoint did not answer ${error.afterMillis === undefined ? "in time" : `within ${error.afterMillis / 1_000} s`}`,
        failure: { code: "timeout", after_ms: error.afterMillis ?? null }
      })
    case "too_large":
      return fault({
        reason: scansLogs ? "log_range_limited" : "rpc_error",
        kind: "oversized",
        spread: "endpoint",
        detail: "the answer was too large to read",
        failure: { code: "endpoint_not_json_rpc", content_type: null, body: "too_large" }
      })
  }
}

const retryAfter = (reply: TransportReply): Effect.Effect<Option.Option<Duration.Duration>> => {
  const header = reply.headers["retry-after"]
  if (header === undefined) return Effect.succeedNone
  if (/^\d{1,9}$/.test(header.trim())) return Effect.succeedSome(Duration.seconds(Number(header)))
  return Effect.map(Clock.currentTimeMillis, (now) =>
    Option.map(DateTime.make(header), (at) => Duration.millis(Math.max(0, DateTime.toEpochMillis(at) - now)))
  )
}

const parseJson = (text: string): Option.Option<unknown> => {
  try {
    return Option.some(JSON.parse(text))
  } catch {
    return Option.none()
  }
}

const read = (
  reply: TransportReply,
  calls: ReadonlyArray<RpcCall>,
  clean: (text: string) => string,
  after: Option.Option<Duration.Duration>
): ReadonlyArray<Either.Either<RpcAnswer, Fault>> => {
  const isBatch = calls.length > 1
  // What fails a batch as a whole may be its size, whatever the endpoint says and however it says so.
  const all = (failure: Fault) =>
    calls.map(() =>
      Either.left(
        isBatch && failure.kind === "failed" && failure.reason !== "rate_limited" ? refused(failure) : failure
      )
    )
  // Status 429 is a rate limit whatever the body says: providers put anything there.
  if (reply.status === 429) return all(refusedBy(reply.status, after))
  const json = parseJson(reply.body)
  const items = Option.match(json, {
    onNone: () => [],
    onSome: (value): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [value])
  })
  const byId = new Map<unknown, { readonly [member: string]: unknown } | undefined>()
  for (const item of items) {
    const record = Option.getOrUndefined(RpcValue.parseRecord(item))
    if (record === undefined) continue
    // Two answers to one call contradict each other, so neither counts.
    const id = idOf(record.id)
    byId.set(id, byId.has(id) ? undefined : record)
  }
  const [only] = items.length === 1 ? items : []
  const [lone] = isBatch ? [] : calls
  const unnamed = Option.filter(
    RpcValue.parseRecord(only),
    (record) => lone !== undefined && isUnnamedAnswer(record, lone, clean)
  )
  if (Option.isSome(unnamed)) byId.set(1, unnamed.value)
  // Geth refuses a batch by one error under the id of its first call.
  const isOfFirst = isBatch && Option.exists(RpcValue.parseRecord(only), ({ error }) => Option.isSome(errorOf(error)))
  if (isOfFirst || !calls.some((_, index) => byId.has(index + 1))) {
    // Nothing here answers a call: the endpoint spoke of the request as a whole.
    const about = Option.flatMap(RpcValue.parseRecord(only), ({ error }) => errorOf(error))
    if (Option.isSome(about)) {
      const first = calls[0]?.method ?? ""
      return all({ ...failed(first, about.value, clean), kind: "refused", spread: "endpoint" })
    }
    return all(
      reply.status >= 200 && reply.status < 300
        ? { ...garbage(notJsonRpc(reply)), spread: "endpoint", failure: strangeReply(reply, json, clean) }
        : refusedBy(reply.status, after)
    )
  }
  return calls.map((call, index) => {
    const record = byId.get(index + 1)
    if (record === undefined) {
      const missing = garbage("the answer to this call is missing or given twice")
      return Either.left(isBatch ? { ...missing, kind: "refused" } : missing)
    }
    const error = errorOf(record.error)
    if (Option.isSome(error)) return judge(call, error.value, clean)
    if (!("result" in record)) return Either.left(garbage("the answer holds neither a result nor an error"))
    // All data this engine requests exists at its block, so null means that the node has not seen the block yet. Only a
    // look-up of a block by hash may answer null.
    if (record.result === null && call.method !== "eth_getBlockByHash")
      return Either.left(garbage("the answer is null"))
    return Either.right({ _tag: "Result", result: record.result })
  })
}

const notJsonRpc = ({ undecodable }: TransportReply): string =>
  undecodable === undefined ? "the answer is not JSON-RPC" : `the answer could not be decompressed: ${undecodable}`

const strangeReply = (
  { body, headers, undecodable }: TransportReply,
  json: Option.Option<unknown>,
  clean: (text: string) => string
): EndpointFailure => {
  const [type = ""] = (headers["content-type"] ?? "").toLowerCase().split(";", 1)
  const named = /^[a-z0-9.+-]{1,32}\/[a-z0-9.+-]{1,48}$/.test(type.trim()) ? clean(type.trim()) : null
  const isJson = named !== null && /json/.test(named)
  const found = (): Extract<EndpointFailure, { readonly code: "endpoint_not_json_rpc" }>["body"] => {
    if (undecodable !== undefined) return "undecodable"
    if (body.trim() === "") return "empty"
    if (Option.isSome(json)) return "json"
    return isJson || /^\s*[[{]/.test(body) ? "broken" : "other"
  }
  return { code: "endpoint_not_json_rpc", content_type: named, body: found() }
}

/** The number that a call was sent with, where its answer gives it as text. */
const idOf = (id: unknown): unknown => (typeof id === "string" && /^\d{1,9}(?:\.0+)?$/.test(id) ? Number(id) : id)

/**
 * Whether what came for a single call is its answer, though it leaves the id out: there was no other call. An endpoint that could
 * not read the request leaves it out too, and gives an error of its own.
 */
const isUnnamedAnswer = (
  { error, id, result }: { readonly [member: string]: unknown },
  call: RpcCall,
  clean: (text: string) => string
): boolean => {
  if (id !== undefined && id !== null) return false
  return Option.match(errorOf(error), {
    onNone: () => result !== undefined,
    onSome: (found) => Either.isRight(judge(call, found, clean))
  })
}

const refused = (self: Fault): Fault => ({ ...self, kind: "refused", retryable: false })

const refusedBy = (status: number, after: Option.Option<Duration.Duration>): Fault =>
  status === 429
    ? fault({
        reason: "rate_limited",
        spread: "endpoint",
        retryable: true,
        retryAfter: after,
        detail: "the endpoint limits the rate (HTTP 429)"
      })
    : fault({
        reason: "rpc_error",
        kind: status >= 500 || status === 408 ? "outage" : status === 400 || status === 413 ? "refused" : "failed",
        spread: "endpoint",
        retryable: status >= 500 || status === 408,
        retryAfter: status === 503 ? after : Option.none(),
        detail: `the endpoint answered HTTP ${status}`,
        failure: isUnauthorized(status)
          ? { code: "endpoint_unauthorized", status }
          : { code: "endpoint_failed", status }
      })

interface ErrorObject {
  readonly [member: string]: unknown
}

const messageOf = (error: ErrorObject): string => {
  const nested = Option.flatMap(RpcValue.parseRecord(error.data), (data) =>
    typeof data.message === "string" ? Option.some(data.message) : Option.none()
  )
  const own = typeof error.message === "string" ? error.message : ""
  const text = typeof error.data === "string" && !error.data.startsWith("0x") ? error.data : ""
  return [own, Option.getOrElse(nested, () => text)]
    .filter((part) => part !== "")
    .join(": ")
    .slice(0, 2_000)
}

/** The code of an error, which some endpoints give as text; 0 where there is none. */
const codeOf = ({ code }: ErrorObject): number =>
  typeof code === "number" ? code : typeof code === "string" && /^-?\d{1,9}$/.test(code) ? Number(code) : 0

/** An error, which some endpoints give as a text alone. */
const errorOf = (error: unknown): Option.Option<ErrorObject> =>
  typeof error === "string" ? Option.some({ message: error }) : RpcValue.parseRecord(error)

const judge = (
  { method, params }: RpcCall,
  error: ErrorObject,
  clean: (text: string) => string
): Either.Either<RpcAnswer, Fault> => {
  if (method !== "eth_call") return Either.left(failed(method, error, clean))
  // Of the gas that the call was given itself, and not of the node's own cap.
  const hasGas = Option.exists(RpcValue.parseRecord(params[0]), ({ gas }) => gas !== undefined)
  return Option.match(reverted(error, hasGas), {
    onSome: (data) => Either.right({ _tag: "Reverted", data }),
    onNone: () => Either.left(failed(method, error, clean))
  })
}

// Geth and most others: code 3 with data. OpenEthereum and Nethermind: -32015 "VM execution error." with
// "Reverted 0x…". Hardhat: -32603 with a nested `data`. Ganache: a nested `result`.
const revertMessage = /\brevert(?:ed)?\b|vm execution error/i

// The other ways in which EVM code ends itself, by itself, in every node; running out of gas only where the call was given
// gas of its own, since else it may as well be the node's own cap.
// https://ethereum.github.io/execution-specs/src/ethereum/forks/prague/vm/exceptions.py.html
// The words of geth, OpenEthereum, Nethermind, Besu, revm (Reth, Anvil, Hardhat) and SputnikVM (Frontier):
// https://github.com/ethereum/go-ethereum/blob/master/core/vm/errors.go
// https://github.com/bluealloy/revm/blob/main/crates/context/interface/src/result.rs
// https://github.com/rust-ethereum/evm/blob/master/src/core/error.rs
const haltMessage =
  /invalid[ _]?(?:fe[ _]?)?(?:opcode|instruction|jump|code|operation|memory access)|bad[ _]?(?:instruction|jump|opcode)|(?:illegal|undefined|unknown|designated)[ _]?(?:invalid|opcode|instruction|operation)|opcode[ _]?not[ _]?found|(?:opcode|instruction)[ _]?not[ _]?activated|stack[ _]?(?:under|over)?[ _]?flow|stack limit reached|static[ _]?(?:call|mode)?[ _]?(?:state[ _]?change|violation)|state[ _]?change[ _]?during[ _]?static|write protection|access[ _]?violation|out[ _]?of[ _]?(?:offset|bounds)|return ?data\b.*out of|(?:call|create)[ _]?(?:too[ _]?deep|depth)|(?:max )?call depth|depth (?:limit|exceeded)|create[ _]?collision|contract address collision|create[ _]?(?:contract[ _]?)?(?:init ?code)?(?:size)?[ _]?limit|max (?:code|init ?code) size|nonce[ _]?(?:uint64 )?overflow/i

// Contracts burn gas to keep a getter from answering.
const outOfGasMessage = /out[ _]?of[ _]?gas|gas uint64 overflow|all gas/i

const gasMessage =
  /out ?of ?gas|gas (?:limit|cap|required)|intrinsic gas|execution aborted|execution timeout|\btimed? ?out\b/i

// As Alchemy, Infura, QuickNode, Chainstack, Ankr, Pocket, Base, TheRPC and others word it; the tests have their answers.
const rateMessage =
  /rate.?limit|(?:call|request) rate|too many (?:requests|connections|calls)|request limit|throttl|(?:quota|capacity|compute units?|credits?|plan limit|request count|rps)\b.*(?:exceed|exhaust|limited|reached)|exceed\w*.*(?:quota|capacity|compute units?|credits?|requests? per|calls? per|request count|request rate|\brps\b)|try again later|retry (?:in|after) \d/i

// -32029 TheRPC and others, -32090 Ankr and Pocket, -32097 NodeReal, -32016 OP-stack nodes, -32007 and -32012 QuickNode.
const rateCodes: ReadonlySet<number> = new Set([429, -32029, -32090, -32097])

const logMessage =
  /range|block limit|too (?:many|large|wide|big)|more than|exceed|limit|response size|query (?:returned|timeout)|narrow|reduce|timed? ?out/i

// Geth answers with this from the call on at which the answers of a batch become too long together.
const oversizedMessage = /response (?:is |size )?too (?:large|big)|response size exceed/i

const addressMessage =
  /(?:specify|missing|without|require\w*|must\b.*)\s+(?:an?\s+|contract\s+)*address|address\b.*\brequired/i

const archiveMessage =
  /missing trie node|header (?:for hash )?not found|(?:block|hash|header|state|resource)\b.*(?:not found|unavailable|not available|out ?of ?range|is unknown|does not exist)|unknown block|BlockOutOfRange|prun|historical state|archive|proof window|no state|older than/i

// The endpoint is behind the block of the call, as Geth, Reth, Erigon, Sentio, Avalanche, Cosmos (Sei, Evmos), Lotus, eRPC
// and others say it: https://github.com/ethereum/execution-apis/pull/875
const newest = "(?:current|latest|newest|highest|last|best|finalized|head|tip)"
const behindMessage = new RegExp(
  [
    String.raw`(?:beyond|past|ahead of|after|above|exceed(?:s|ed|ing)?|(?:greater|higher|larger|bigger|newer|later|more) than|>=?)\W+(?:(?:the|node'?s?|its|our|known|accepted|chain(?:'s)?|blockchain)\W+){0,3}${newest}\b(?!(?:\W+\w+){0,3}?\W+(?:range|limit|count|span|gas|plan|rate|max))`,
    `(?:less|lower|smaller) than or equal to (?:the )?${newest} (?:block(?:chain)? )?(?:height|head|block|number)`,
    "(?:does not|doesn't|do not|don't) (?:yet )?have the (?:requested )?block",
    String.raw`\b(?:block|height|header|head|epoch|state)\b.*\b(?:not|n't)\b.*\b(?:available|produced|synced|imported|indexed|mined|processed|reached|finalized|seen) ?yet`,
    String.raw`\b(?:block|height|header|epoch)\b.*\b(?:not|n't) yet (?:been )?(?:available|produced|synced|imported|indexed|mined|processed|reached|finalized|seen|known)`,
    String.raw`(?:future|unfinalized) (?:block|height|epoch|range|data)|\b(?:block|range|height|epoch)\b.*\bin the future`,
    String.raw`block\b.*\bnot available on (?:the |any )?upstream|BlockUnavailable`
  ].join("|"),
  "i"
)

// For a log scan: its range ends at a block that another node behind the same endpoint named.
const scanBehindMessage =
  /blocks? specified in filter\b.*(?:cannot be found|not found)|\b(?:header|block|height|\d+)\b.*(?:not found|(?:cannot|could not) be found|does not exist|is unknown)|could not find (?:the )?(?:block|header)|unknown (?:block|header)|end \(?\d+\)? < begin|invalid block range params/i

// The same words are said of a range that is too wide.
const scanBehindOrWideMessage =
  /invalid (?:block )?range|invalid (?:from|to) ?block|\bblock\b.*\bout ?of ?range|(?:to ?block|height|block number) (?:is )?too high/i

// These may be known a moment later: a balanced endpoint's nodes do not all see a new block at once.
const laggingMessage = /header (?:for hash )?not found|unknown block|(?:block|hash|resource)\b.*not found/i

const methodMessage =
  /method\b.*(?:not found|not supported|unsupported|not available|does not exist|not implemented|not whitelisted|not allowed|disabled|not enabled)|unsupported method|unknown method|not implemented/i

const fundsMessage = /insufficient (?:funds|balance)|gas price|fee per gas|fee cap/i

const reverted = (error: ErrorObject, hasGas: boolean): Option.Option<Hex> => {
  const own = typeof error.message === "string" ? error.message : ""
  const message = messageOf(error)
  const data = Option.orElse(revertData(error.data, 0), () => bytesIn(message))
  const withData = () => Option.some(Option.getOrElse(data, () => "0x" as const))
  if (codeOf(error) === 3 || revertMessage.test(own)) return withData()
  if (typeof error.data === "string" && /^reverted/i.test(error.data)) return withData()
  if (hasGas && outOfGasMessage.test(message)) return Option.some("0x")
  // A message of the endpoint's own trouble is never the contract's word, whatever else comes with it.
  if (isTrouble(own)) return Option.none()
  // An error in an error; the outer one says nothing.
  if (isWrappedRevert(error.data, 0)) return withData()
  if (isTrouble(message)) return Option.none()
  if (haltMessage.test(message)) return Option.some("0x")
  // Only a revert comes with data; empty data counts where there is no message.
  return Option.filter(data, (bytes) => bytes !== "0x" || message === "")
}

const isTrouble = (message: string): boolean =>
  [gasMessage, rateMessage, archiveMessage, behindMessage, methodMessage].some((words) => words.test(message))

// "Reverted 0x…" of OpenEthereum, and "revert reason=[0x…]" of Lotus (Filecoin), where there are no data beside it.
const bytesIn = (message: string): Option.Option<Hex> =>
  Option.flatMap(
    Option.fromNullable(/\brevert(?:ed)?(?: reason)?[:=]? ?\[?(0x(?:[0-9a-f]{2})+)\b/i.exec(message)?.[1]),
    RpcValue.parseBytes
  )

const isWrappedRevert = (error: unknown, depth: number): boolean => {
  if (typeof error === "string") return revertMessage.test(error)
  return (
    depth <= deepest &&
    Option.exists(
      RpcValue.parseRecord(error),
      (record) =>
        codeOf(record) === 3 ||
        (typeof record.message === "string" && revertMessage.test(record.message)) ||
        Object.values(record).some((nested) => typeof nested === "object" && isWrappedRevert(nested, depth + 1))
    )
  )
}

/** How deep errors are looked for in errors: MetaMask puts those of a node under `data.originalError`, others in a `cause`. */
const deepest = 2

// The names under which the bytes of a revert come, before those under which an error comes that holds them: Ganache 6
// names that by the hash of a transaction.
const revertData = (data: unknown, depth: number): Option.Option<Hex> => {
  // Frontier and Moonbeam leave the prefix out.
  if (typeof data === "string")
    return RpcValue.parseBytes(data.replace(/^revert(?:ed)?:?\s*/i, "").replace(/^(?=(?:[0-9a-f]{2}){4,}$)/i, "0x"))
  if (depth > deepest) return Option.none()
  return Option.flatMap(RpcValue.parseRecord(data), ({ data, output, result, return: returned, ...others }) =>
    Option.firstSomeOf(
      [data, result, output, returned, ...Object.values(others).filter((nested) => typeof nested === "object")].map(
        (nested) => revertData(nested, depth + 1)
      )
    )
  )
}

const failed = (method: string, error: ErrorObject, clean: (text: string) => string): Fault => {
  const code = codeOf(error)
  const message = messageOf(error)
  const detail = clean(message === "" ? `error ${code}` : message)
  const isScan = method === "eth_getLogs"
  // "Query timeout, try again later" is said of a scan that is too wide.
  const isLimited = rateMessage.test(message) && !(isScan && /time ?d?[- ]?out/i.test(message))
  if (isLimited || rateCodes.has(code)) {
    return fault({ reason: "rate_limited", retryable: true, retryAfter: waitIn(error, message), detail })
  }
  if (behindMessage.test(message) || (isScan && scanBehindMessage.test(message)))
    return fault({ reason: "rpc_error", kind: "behind", retryable: true, detail })
  if (isScan && scanBehindOrWideMessage.test(message) && Option.isNone(blockSpan(message)))
    return fault({ reason: "log_range_limited", kind: "behind", detail })
  if (isScan && addressMessage.test(message)) {
    return fault({ reason: "log_range_limited", kind: "addressless", detail })
  }
  if (isScan && (logMessage.test(message) || code === -32005)) {
    return fault({ reason: "log_range_limited", blockSpan: blockSpan(message), detail })
  }
  if (code === -32005) {
    return fault({ reason: "rate_limited", retryable: true, retryAfter: waitIn(error, message), detail })
  }
  if (oversizedMessage.test(message)) return fault({ reason: "rpc_error", kind: "oversized", detail })
  if (code === -32601 || code === -32004 || code === -32700 || code === -32006 || methodMessage.test(message)) {
    return fault({ reason: "method_unsupported", detail })
  }
  // -32001 is "resource not found" of EIP-1474.
  if (code === -32001 || archiveMessage.test(message)) {
    return fault({ reason: "archive_required", retryable: code === -32001 || laggingMessage.test(message), detail })
  }
  if (fundsMessage.test(message)) return fault({ reason: "rpc_error", elsewhere: false, detail })
  if (gasMessage.test(message)) return fault({ reason: "rpc_error", detail })
  return fault({ reason: "rpc_error", retryable: code === -32603 || code === -32002, detail })
}

// Infura and Chainstack say in `data` how long to wait, others in words: "retry in 10s", "retry in 10m0s", "try again in
// 853ms", "try_again_in": "853ms" or "1.2s".
const waitIn = (error: ErrorObject, message: string): Option.Option<Duration.Duration> => {
  const data = RpcValue.parseRecord(error.data)
  const rate = Option.flatMap(data, ({ rate }) => RpcValue.parseRecord(rate))
  const seconds = Option.filter(
    Option.map(rate, (found) => found.backoff_seconds),
    (value): value is number => typeof value === "number" && value >= 0 && value <= 1e6
  )
  if (Option.isSome(seconds)) return Option.some(Duration.seconds(seconds.value))
  const named = Option.getOrElse(
    Option.flatMap(data, ({ try_again_in: wait }) =>
      typeof wait === "string" ? Option.some(`try again in ${wait}`) : Option.none()
    ),
    () => message
  )
  const found =
    /(?:re)?try(?:_| )?(?:again)?(?:_| )(?:in|after):? (?:(\d{1,3})m(?!s))? ?(?:(\d{1,6}(?:\.\d{1,9})?) ?(ms|milliseconds?|s|seconds?))?/i.exec(
      named
    )
  if (found === null || (found[1] === undefined && found[2] === undefined)) return Option.none()
  const rest = Number(found[2] ?? 0) * (found[3]?.toLowerCase().startsWith("m") ? 1 : 1_000)
  return Option.some(Duration.millis(Math.ceil(Number(found[1] ?? 0) * 60_000 + rest)))
}

// Providers name their limit in words ("up to a 2K block range", "limited to 10,000 blocks") or propose a range ("this
// block range should work: [0x1, 0x2]"). This is only a hint for the next request, never a fact.
const blockSpan = (message: string): Option.Option<number> => {
  const proposed =
    /\[\s*(0x[0-9a-f]{1,12})\s*,\s*(0x[0-9a-f]{1,12})\s*\]/i.exec(message) ??
    /\brange\s*:?\s*\[?(\d{1,12})\s*-\s*(\d{1,12})\b/i.exec(message)
  if (proposed?.[1] !== undefined && proposed[2] !== undefined) {
    return Option.filter(Option.some(Number(proposed[2]) - Number(proposed[1]) + 1), (span) => span > 0)
  }
  const named =
    // The stated maximum comes before the requested range.
    /\bmax(?:imum)?\b[^\d,;]{0,40}?(\d[\d,_]{0,12})(k?)\b(?!\s*(?:results|logs|events))/i.exec(
      message.replace(/max(?:imum)? results?\s*\d*/gi, "")
    ) ??
    /(\d[\d,_]{0,12})(k?)[\s-]*blocks?\b/i.exec(message) ??
    /(?:block|range)[^\d]{0,40}?(\d[\d,_]{0,12})(k?)\b(?!\s*(?:results|logs|events))/i.exec(message)
  if (named?.[1] === undefined) return Option.none()
  const span = Number(named[1].replace(/[,_]/g, "")) * (named[2] === "" ? 1 : 1_000)
  return span >= 1 ? Option.some(span) : Option.none()
}

/**
 * Makes an endpoint's words fit for evidence and logs: no URL, no part of this endpoint's URL, none of the secrets that it
 * was sent, nothing that could be a key, no control or bidirectional characters, 160 characters at most.
 */
export const redact = (url: string, secrets: ReadonlyArray<string> = []): ((text: string) => string) => {
  const words = (text: string, least: number) => text.split(/[^A-Za-z0-9._~-]+/).filter((part) => part.length >= least)
  // Whole secrets first: a replaced part would leave the rest of one.
  const parts = [
    ...secrets.filter((secret) => secret.length >= 4),
    ...words(url, 6),
    ...secrets.flatMap((secret) => words(secret, 6))
  ]
  return (text) => {
    let clean = text.replace(/[a-z][a-z0-9+.-]*:\/\/\S+/gi, "[url]")
    for (const part of parts) clean = clean.replaceAll(part, "[redacted]")
    clean = clean
      .replace(/(?<![\w-])(?!0x[0-9a-fA-F]+\b)[\w-]{20,}/g, "[redacted]")
      .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
      .trim()
    return clean.length > 160 ? `${clean.slice(0, 159)}…` : clean
  }
}

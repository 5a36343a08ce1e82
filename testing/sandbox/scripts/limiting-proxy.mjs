// An endpoint as free plans and public ones are: a proxy before a node, in a process of its own, that limits what passes.
// Arguments: the URL of the node, and its limits as JSON. Sends {url} to its parent when it listens. A parent that sends
// {limits} sets other limits and gets {stats}: what has passed since the last time. It ends with its parent.
//
// - `latency`: ms added to each request (0).
// - `calls`, `requests`: how many a second, each a bucket that holds what a second brings and is full at the start. Work
//   that the bucket does not hold is refused, and costs nothing.
// - `batch`: calls in a batch; 1 refuses batches.
// - `missing`: methods that there are not. `overrides: false` takes no third parameter of `eth_call`.
// - `logBlocks`: blocks that one `eth_getLogs` may read.
// - `behind`: blocks that the node lacks which answers a scan of events the first time: it has no events of them in a
//   range, without saying so, and refuses them by hash.
// - `refusal`: how a limit is reported: `status` (HTTP 429), `request` (one error for all, in a 200), `calls` (each
//   call that is too much has its own error, in a 200, and the others are answered).
// - `retryAfter`: seconds, sent with each refusal by HTTP 429.
// - `headers`: required request headers; without them it answers HTTP 401.
import { Agent, createServer, request } from "node:http"
import { setTimeout } from "node:timers/promises"

const upstream = new URL(process.argv[2])
const agent = new Agent({ keepAlive: true })

const unlimited = {
  latency: 0,
  calls: null,
  requests: null,
  batch: null,
  missing: [],
  overrides: true,
  logBlocks: null,
  behind: 0,
  refusal: "status",
  retryAfter: null,
  headers: {}
}

const bucketOf = (rate) => {
  let held = rate
  let last = performance.now()
  return {
    /** How many of `wanted` there is room for. */
    room: (wanted) => {
      const now = performance.now()
      held = Math.min(rate, held + ((now - last) / 1_000) * rate)
      last = now
      return Math.min(wanted, Math.floor(held))
    },
    take: (count) => {
      held -= count
    }
  }
}

let limits, calls, requests, stats, scans
const set = (given) => {
  limits = { ...unlimited, ...given }
  calls = limits.calls === null ? undefined : bucketOf(limits.calls)
  requests = limits.requests === null ? undefined : bucketOf(limits.requests)
  scans = new Set()
  stats = { requests: 0, calls: 0, passed: 0, limited: 0, refused: 0 }
}
set(JSON.parse(process.argv[3] ?? "{}"))

const server = createServer(async (incoming, outgoing) => {
  try {
    const { headers, status, body } = await answer(incoming, JSON.parse((await read(incoming)).toString()))
    outgoing.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))
  } catch {
    outgoing.destroy()
  }
})

const answer = async (incoming, body) => {
  const all = Array.isArray(body) ? body : [body]
  stats.requests++
  stats.calls += all.length
  if (limits.latency > 0) await setTimeout(limits.latency)
  if (Object.entries(limits.headers).some(([name, value]) => incoming.headers[name.toLowerCase()] !== value)) {
    return { status: 401, body: { error: "unauthorized" } }
  }
  const isFree = requests === undefined || requests.room(1) === 1
  const room = isFree ? (calls?.room(all.length) ?? all.length) : 0
  const served = room === all.length || limits.refusal === "calls" ? room : 0
  if (served < all.length) stats.limited++
  if (served < all.length && limits.refusal !== "calls") return limited()
  if (limits.batch !== null && (all.length > limits.batch || (Array.isArray(body) && limits.batch === 1))) {
    stats.refused++
    return { status: 400, body: about(-32600, `batch size too large, max ${limits.batch}`) }
  }
  if (served > 0) requests?.take(1)
  calls?.take(served)
  stats.passed += served
  const answers = await forward(all.slice(0, served))
  const items = [...answers, ...all.slice(served).map(({ id }) => ({ jsonrpc: "2.0", id, error: tooMany }))]
  return { status: 200, body: Array.isArray(body) ? items : items[0] }
}

const tooMany = { code: -32005, message: "Too many requests, reason: call rate limit exhausted" }

const about = (code, message) => ({ jsonrpc: "2.0", id: null, error: { code, message } })

const limited = () => {
  const headers = limits.retryAfter === null ? {} : { "retry-after": String(limits.retryAfter) }
  return limits.refusal === "status"
    ? { status: 429, headers, body: about(429, "Too Many Requests") }
    : { status: 200, body: about(tooMany.code, tooMany.message) }
}

const refusalOf = ({ method, params }) => {
  if (limits.missing.includes(method)) return { code: -32601, message: `the method ${method} does not exist` }
  if (!limits.overrides && method === "eth_call" && params.length > 2) {
    return { code: -32602, message: "too many arguments, want at most 2" }
  }
  const [filter] = params
  if (method === "eth_getLogs" && limits.logBlocks !== null) {
    const blocks = Number(filter.toBlock) - Number(filter.fromBlock) + 1
    if (blocks > limits.logBlocks) return { code: -32005, message: `query exceeds max block range ${limits.logBlocks}` }
  }
  if (limits.behind > 0 && method === "eth_getLogs" && filter.blockHash !== undefined && isFirst(filter)) {
    return { code: -32000, message: "unknown block" }
  }
  return undefined
}

const isFirst = (filter) => {
  const key = JSON.stringify(filter)
  if (scans.has(key)) return false
  scans.add(key)
  return true
}

/** The call as the node that is behind understands it. */
const seen = (call) => {
  const [filter] = call.params
  if (limits.behind === 0 || call.method !== "eth_getLogs" || filter.toBlock === undefined || !isFirst(filter))
    return call
  const toBlock = Math.max(Number(filter.fromBlock), Number(filter.toBlock) - limits.behind)
  return { ...call, params: [{ ...filter, toBlock: `0x${toBlock.toString(16)}` }] }
}

const forward = async (all) => {
  const refusals = all.map(refusalOf)
  const passing = all.filter((_, place) => refusals[place] === undefined)
  const answers = passing.length === 0 ? [] : JSON.parse((await post(JSON.stringify(passing.map(seen)))).toString())
  return all.map(({ id }, place) =>
    refusals[place] === undefined
      ? answers.find((item) => item.id === id)
      : { jsonrpc: "2.0", id, error: refusals[place] }
  )
}

const post = (body) =>
  new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) }
    const { hostname: host, port } = upstream
    request({ host, port, method: "POST", path: "/", headers, agent }, (reply) => read(reply).then(resolve, reject))
      .on("error", reject)
      .end(body)
  })

const read = async (stream) => {
  const chunks = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

process.on("message", ({ limits: next }) => {
  const before = stats
  set(next ?? limits)
  process.send({ stats: before })
})
process.on("disconnect", () => process.exit(0))
// Connections that wait between runs must not be closed under the client.
server.keepAliveTimeout = 600_000
server.listen(0, "127.0.0.1", () => process.send({ url: `http://127.0.0.1:${server.address().port}` }))

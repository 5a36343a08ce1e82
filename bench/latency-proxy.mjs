// A proxy in a process of its own that adds a fixed time to each request, so that its CPU is not counted with ours.
// Sends {url} to its parent when it listens, and answers each message of its parent with {requests}: what has passed
// since the last one, oldest first, with times in ms. It ends with its parent.
import { Agent, createServer, request } from "node:http"
import { setTimeout } from "node:timers/promises"

const [upstream, delay] = [new URL(process.argv[2]), Number(process.argv[3])]
const agent = new Agent({ keepAlive: true })
let passed = []

const server = createServer(async (incoming, outgoing) => {
  const start = performance.now()
  try {
    const body = await read(incoming)
    await setTimeout(delay)
    const sent = performance.now()
    const answer = await forward(body)
    const node = performance.now() - sent
    const record = { start, node, calls: callsOf(body) }
    passed.push(record)
    // When the last byte was handed over, and not when the other side read it: nothing can depend on it before.
    record.end = performance.now()
    outgoing.writeHead(answer.status, { "content-type": "application/json" }).end(answer.body)
  } catch {
    outgoing.destroy()
  }
})

const read = async (stream) => {
  const chunks = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const forward = (body) =>
  new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": body.length }
    const { hostname: host, port } = upstream
    request({ host, port, method: "POST", path: "/", headers, agent }, (answer) =>
      read(answer).then((body) => resolve({ status: answer.statusCode, body }), reject)
    )
      .on("error", reject)
      .end(body)
  })

const callsOf = (body) => {
  const parsed = JSON.parse(body.toString())
  return (Array.isArray(parsed) ? parsed : [parsed]).map(nameOf)
}

// The shape of a call as far as its cost depends on it.
const nameOf = ({ method, params }) => {
  if (method !== "eth_call") return method
  const [{ from, to }, , overrides = {}] = params
  if (Object.keys(overrides).length > 0) return "eth_call (override)"
  if (to !== undefined) return method
  return from === undefined ? "eth_call (reads)" : "eth_call (constructor)"
}

process.on("message", () => {
  const requests = passed.sort((a, b) => a.start - b.start)
  passed = []
  process.send({ requests })
})
process.on("disconnect", () => process.exit(0))
// Connections that wait between runs must not be closed under the client.
server.keepAliveTimeout = 600_000
server.listen(0, "127.0.0.1", () => process.send({ url: `http://127.0.0.1:${server.address().port}` }))

import { connect } from "node:net"
import type { Received } from "../Contract.js"
import type { Attempt } from "./Requests.js"

/** Sends the bytes of an attempt, and reads until the server closes the connection or says nothing any more. */
export const send = (
  port: number,
  { isWhole, parts }: Attempt
): Promise<{ readonly bytes: Buffer; readonly isClosed: boolean }> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true })
    const chunks: Array<Buffer> = []
    let quiet: NodeJS.Timeout | undefined
    const done = (isClosed: boolean) => {
      clearTimeout(quiet)
      clearTimeout(longest)
      socket.destroy()
      resolve({ bytes: Buffer.concat(chunks), isClosed })
    }
    const longest = setTimeout(() => done(false), longestMillis)
    // Half of the connection is closed where the server may wait for more, and a stream is left.
    const listen = () => {
      clearTimeout(quiet)
      quiet = setTimeout(() => {
        if (isStream(chunks)) return done(true)
        if (!isWhole) socket.end()
      }, quietMillis)
    }
    socket.on("data", (chunk) => {
      chunks.push(chunk)
      listen()
    })
    socket.on("end", () => socket.end())
    socket.on("error", () => {})
    socket.on("close", () => done(true))
    const write = (index: number) => {
      const part = parts[index]
      if (part === undefined) return listen()
      socket.write(part, () => setImmediate(() => write(index + 1)))
    }
    socket.on("connect", () => write(0))
  })

const longestMillis = 20_000
const quietMillis = 100

const isStream = (chunks: ReadonlyArray<Buffer>): boolean =>
  /^content-type: text\/event-stream/im.test(Buffer.concat(chunks).toString("latin1"))

/**
 * The responses in what a server sent. `methods` are those of the requests, as far as they are known: the response to HEAD has
 * no body. What is no response is the `rest`.
 */
export const responses = (
  bytes: Buffer,
  methods: ReadonlyArray<string>
): { readonly received: ReadonlyArray<Received>; readonly rest: string } => {
  const received: Array<Received> = []
  let at = 0
  while (at < bytes.length) {
    const end = bytes.indexOf("\r\n\r\n", at)
    const [line = "", ...fields] = (end === -1 ? "" : bytes.subarray(at, end).toString("latin1")).split("\r\n")
    const status = Number(/^HTTP\/1\.[01] (\d{3}) /.exec(line)?.[1])
    if (Number.isNaN(status)) return { received, rest: bytes.subarray(at).toString("latin1") }
    const headers = new Headers()
    for (const field of fields)
      headers.append(field.slice(0, field.indexOf(":")), field.slice(field.indexOf(":") + 1).trim())
    at = end + 4
    if (status < 200) continue
    // Who could not read the request does not know that it is one of HEAD.
    const isHead = methods[received.length] === "HEAD" && bytes[at] !== "{".charCodeAt(0)
    const isEmpty = isHead || status === 204 || status === 304
    const body = isEmpty ? { text: "", next: at } : bodyAt(bytes, at, headers)
    received.push({ status, headers, text: body.text })
    at = body.next
  }
  return { received, rest: "" }
}

const bodyAt = (bytes: Buffer, at: number, headers: Headers): { readonly text: string; readonly next: number } => {
  const length = headers.get("content-length")
  if (length !== null) return { text: bytes.subarray(at, at + Number(length)).toString(), next: at + Number(length) }
  if (headers.get("transfer-encoding") !== "chunked") return { text: bytes.subarray(at).toString(), next: bytes.length }
  const parts: Array<Buffer> = []
  for (;;) {
    const line = bytes.indexOf("\r\n", at)
    const size = line === -1 ? Number.NaN : Number.parseInt(bytes.subarray(at, line).toString("latin1"), 16)
    if (Number.isNaN(size)) return { text: Buffer.concat(parts).toString(), next: bytes.length }
    parts.push(bytes.subarray(line + 2, line + 2 + size))
    at = line + 2 + size + 2
    if (size === 0) return { text: Buffer.concat(parts).toString(), next: at }
  }
}

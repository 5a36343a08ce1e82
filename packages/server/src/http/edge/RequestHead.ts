import type { IncomingMessage } from "node:http"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Option } from "effect"
import * as Host from "../../Host.js"
import * as NodeMessage from "../representation/NodeMessage.js"

/**
 * What the edge judges a request by before it uses any of it. A web request has the fields of one name joined, in a form
 * that no host and no key has, so nothing is known to be `repeated` there; and its URL has a host, so none is missing.
 */
export interface RequestHead {
  /** The request target as it came. */
  readonly target: string
  /** The size of all header fields together in bytes, as they are written in HTTP/1.1. */
  readonly fieldBytes: number
  /** What the request says of its host, undefined where it says nothing. */
  readonly authority: string | undefined
  readonly host: Option.Option<Host.Host>
  readonly isHostMissing: boolean
  /** A field that is there twice where one is meant, if there is one. */
  readonly repeated: Option.Option<string>
}

export const of = (request: HttpServerRequest.HttpServerRequest): RequestHead =>
  Option.match(NodeMessage.of(request), {
    onSome: ofMessage,
    // Only a web request is no message of Node.
    onNone: () => ofWeb(request.source as Request, request.url)
  })

const ofMessage = (message: IncomingMessage): RequestHead => {
  const { headers, httpVersion, rawHeaders } = message
  const target = NodeMessage.targetOf(message)
  const authority = headers.host ?? (headers[":authority"] as string | undefined)
  return {
    target,
    authority,
    fieldBytes: rawHeaders.reduce((size, part) => size + Buffer.byteLength(part) + 2, 0),
    // The host of an absolute form takes the place of the header (https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2).
    host: Host.parse(/^https?:\/\/([^/?#]*)/i.exec(target)?.[1] ?? authority ?? ""),
    isHostMissing: httpVersion === "1.1" && authority === undefined,
    // Programs differ in which of two they believe, so a proxy before us may have decided by the other one.
    repeated: Option.fromNullable(
      single.find(
        (name) => rawHeaders.filter((part, index) => index % 2 === 0 && part.toLowerCase() === name).length > 1
      )
    )
  }
}

const single = ["host", "authorization"]

const ofWeb = ({ headers, url }: Request, target: string): RequestHead => {
  let fieldBytes = 0
  headers.forEach((value, name) => {
    fieldBytes += Buffer.byteLength(name) + Buffer.byteLength(value) + 4
  })
  // Some programs leave the field out, as the URL is made of it; others make the URL of their own name.
  const authority = headers.get("host") ?? new URL(url).host
  return { target, authority, fieldBytes, host: Host.parse(authority), isHostMissing: false, repeated: Option.none() }
}

import * as Contract from "../Contract.js"

/*
 * Requests that the document allows, and its violations, down to bytes that are no HTTP. The same seed makes the same requests,
 * but for the ids and keys of the run that sends them.
 */

/** Whole numbers below a limit, the same ones for the same seed (mulberry32). */
export interface Dice {
  readonly below: (limit: number) => number
  readonly oneIn: (limit: number) => boolean
  readonly pick: <const A extends readonly [unknown, ...ReadonlyArray<unknown>]>(items: A) => A[number]
}

export const dice = (seed: number): Dice => {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return { below, oneIn: (limit) => below(limit) === 0, pick: (items) => items[below(items.length)] }
}

/** What the run knows by now: secrets of its keys that are accepted, and ids that it was shown. */
export interface World {
  readonly keys: readonly [string, ...ReadonlyArray<string>]
  readonly ids: { readonly [prefix: string]: ReadonlyArray<string> }
}

/** `parts` are written one after the other. `expected` are the requests that are in them, as far as these can be known. */
export interface Attempt {
  readonly kind: string
  readonly parts: ReadonlyArray<Buffer>
  readonly expected: ReadonlyArray<{ readonly method: string; readonly target: string }>
  /** Whether every request in it is whole and well-formed, so that each has a response. */
  readonly isWhole: boolean
}

const addresses: readonly [string, ...ReadonlyArray<string>] = [
  "0x1000000000000000000000000000000000000001",
  "0x100000000000000000000000000000000000000b",
  "0x1000000000000000000000000000000000000002",
  "0x00000000219AB540356cBB839Cbe05303d7705Fa"
]

const nasty: readonly [unknown, ...ReadonlyArray<unknown>] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e99,
  2 ** 53,
  "",
  " ",
  "\u0000",
  "\u202e",
  "\ud800",
  "𝔘",
  "a".repeat(101),
  "a".repeat(5_000),
  "<script>",
  "../../etc/passwd",
  "%00",
  "null",
  "-1",
  "1e99",
  "9007199254740993",
  "0x",
  "0x00000000219ab540356cBB839Cbe05303d7705Fa",
  `0x${"F".repeat(40)}`,
  "exe_01JD0000000000000000000000",
  "previous",
  "2026-11-21T00:00:00Z",
  "2026-13-41T99:99:99Z",
  "' OR 1=1 --",
  [],
  {},
  [[]],
  { a: { b: {} } },
  ["x"],
  "https://127.0.0.1/",
  "https://user:pass@hooks.example/",
  "javascript:alert(1)",
  "__proto__",
  "constructor"
]

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema?: { readonly enum?: ReadonlyArray<string>; readonly type?: string }
}
interface Described {
  readonly method: string
  readonly template: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly examples: ReadonlyArray<unknown>
}

const described: ReadonlyArray<Described> = Object.entries(Contract.document.paths).flatMap(([template, methods]) =>
  Object.entries(methods).map(([method, operation]) => {
    const { parameters = [], requestBody } = operation as unknown as {
      readonly parameters?: ReadonlyArray<Parameter>
      readonly requestBody?: {
        readonly content: Record<string, { readonly examples?: Record<string, { $ref: string }> }>
      }
    }
    const { examples } = Contract.document.components as unknown as {
      readonly examples: Record<string, { value: unknown }>
    }
    return {
      method: method.toUpperCase(),
      template,
      parameters,
      examples: Object.values(requestBody?.content["application/json"]?.examples ?? {}).map(
        ({ $ref }) => examples[$ref.slice($ref.lastIndexOf("/") + 1)]?.value
      )
    }
  })
)

const prefixes: { readonly [name: string]: string } = {
  execution_id: "exe",
  watch_id: "wat",
  webhook_id: "whk",
  delivery_id: "dlv"
}

const segment = (roll: Dice, { ids }: World, name: string): string => {
  if (roll.oneIn(6)) return encode(roll, roll.pick(nasty))
  if (name === "address") return roll.pick(addresses)
  const known = ids[prefixes[name] ?? ""] ?? []
  if (known.length > 0 && !roll.oneIn(4)) return known[roll.below(known.length)] ?? ""
  return roll.pick([`${prefixes[name] ?? name}_01JD0000000000000000000000`, "not-found", "token.mintable", "x"])
}

const encode = (roll: Dice, value: unknown): string => {
  try {
    const text = encodeURIComponent(textOf(value).slice(0, 300))
    return text === "" || roll.oneIn(20) ? "%ff" : text
  } catch {
    return "%ed%a0%80"
  }
}

const queryOf = (roll: Dice, { parameters }: Described): string => {
  const parts: Array<string> = []
  for (const { in: place, name, schema } of parameters) {
    // What waits is no request of a fuzzer.
    if (place !== "query" || name === "wait" || !roll.oneIn(3)) continue
    const values = schema?.enum ?? []
    const value =
      values.length > 0 && !roll.oneIn(3)
        ? (values[roll.below(values.length)] ?? "")
        : roll.pick(["1", "20", "true", "previous", "31337", "sandbox", "token", "active", ...nasty.map(textOf)])
    parts.push(`${name}=${encode(roll, value)}`)
    if (roll.oneIn(15)) parts.push(`${name}=${encode(roll, value)}`)
  }
  if (roll.oneIn(12)) parts.push(`${encode(roll, roll.pick(nasty))}=${encode(roll, roll.pick(nasty))}`)
  return parts.length === 0 ? "" : `?${parts.join("&")}`
}

const changed = (roll: Dice, example: unknown): unknown => {
  if (roll.oneIn(12) || typeof example !== "object" || example === null) return roll.pick(nasty)
  const body: Record<string, unknown> = { ...(example as object) }
  const names = Object.keys(body)
  for (let count = roll.below(3); count > 0; count--) {
    const name = names[roll.below(names.length)]
    if (name === undefined || roll.oneIn(6))
      body[roll.pick(["unknown", "__proto__", "a".repeat(300), "chain", "paused"])] = roll.pick(nasty)
    else if (roll.oneIn(3)) delete body[name]
    else body[name] = roll.pick(nasty)
  }
  return body
}

const bodyOf = (roll: Dice, { examples }: Described): Buffer => {
  const example = examples[roll.below(examples.length || 1)] ?? {}
  const value = roll.oneIn(3) ? example : changed(roll, example)
  const text = JSON.stringify(value) ?? "null"
  switch (roll.below(14)) {
    case 0:
      return Buffer.from(text.slice(0, roll.below(text.length + 1)))
    case 1:
      return Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0xff, 0xfe, 0x80]), Buffer.from("}")])
    case 2:
      return Buffer.from(`\ufeff${text}`)
    case 3:
      return Buffer.from(`${text}${text}`)
    case 4:
      return Buffer.from(`{"label":"${"a".repeat(roll.pick([65_500, 65_540, 70_000]))}"}`)
    case 5:
      return Buffer.from(`${"[".repeat(3_000)}${"]".repeat(3_000)}`)
    case 6:
      return Buffer.from(text.replace("{", '{"label":"twice",'))
    default:
      return Buffer.from(text)
  }
}

const authorization = (roll: Dice, { keys }: World): ReadonlyArray<string> => {
  const key = keys[roll.below(keys.length)] ?? keys[0]
  if (!roll.oneIn(8)) return [`authorization: Bearer ${key}`]
  return roll.pick([
    [],
    ["authorization: Bearer nonsense"],
    [`authorization: Bearer asy_${"0".repeat(38)}`],
    ["authorization: Basic dXNlcjpwYXNz"],
    [`authorization: bearer  ${key}`],
    ["authorization:"],
    [`authorization: Bearer ${key}`, `authorization: Bearer ${key}`]
  ] as const)
}

const fieldsOf = (roll: Dice, world: World): ReadonlyArray<string> => [
  ...authorization(roll, world),
  ...(roll.oneIn(6)
    ? [
        `accept: ${roll.pick(["application/json", "text/html", "text/markdown;q=0.9, */*;q=0.1", "image/png", "*/*;q=0", ";;", "text/plain", ""])}`
      ]
    : []),
  ...(roll.oneIn(8) ? [`idempotency-key: ${roll.pick(["a", "b", "", "x".repeat(256), "\u00e9", "a b"])}`] : []),
  ...(roll.oneIn(10)
    ? [`prefer: ${roll.pick(["respond-async", "wait=1", "wait=0", "wait=x", "handling=lenient", ",,;"])}`]
    : []),
  ...(roll.oneIn(10) ? [`if-none-match: ${roll.pick(["*", '"x"', 'W/"x"', "x", '"'])}`] : []),
  ...(roll.oneIn(10) ? [`if-match: ${roll.pick(["*", '"x"', 'W/"x"', "x"])}`] : []),
  ...(roll.oneIn(15) ? [`last-event-id: ${roll.pick(["0", "x", "99999999999"])}`] : []),
  ...(roll.oneIn(20) ? [`origin: ${roll.pick(["https://other.example", "null"])}`] : []),
  ...(roll.oneIn(20) ? ["x-forwarded-for: 192.0.2.7, unknown"] : []),
  ...(roll.oneIn(25) ? ["expect: 100-continue"] : [])
]

interface Plain {
  readonly method: string
  readonly target: string
  readonly head: ReadonlyArray<string>
  readonly body: Buffer
}

const plain = (roll: Dice, world: World): Plain => {
  const one = described[roll.below(described.length)] as Described
  const path = one.template.replaceAll(/\{(\w+)\}/g, (_, name: string) => segment(roll, world, name))
  const isOther = roll.oneIn(15)
  const method = isOther ? roll.pick(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]) : one.method
  const target = `${roll.oneIn(40) ? `${path}/` : path}${queryOf(roll, one)}`
  const hasBody = ["POST", "PATCH", "PUT"].includes(method) ? !roll.oneIn(8) : roll.oneIn(20)
  return {
    method,
    target,
    head: [
      ...fieldsOf(roll, world),
      ...(hasBody
        ? [
            `content-type: ${roll.oneIn(10) ? roll.pick(["text/plain", "application/json; charset=latin1", "application/json;charset=UTF-8", "multipart/form-data", ""]) : "application/json"}`
          ]
        : [])
    ],
    body: hasBody ? bodyOf(roll, one) : Buffer.alloc(0)
  }
}

const written = ({ body, head, method, target }: Plain, more: ReadonlyArray<string>): Buffer =>
  Buffer.concat([
    Buffer.from(
      [
        `${method} ${target} HTTP/1.1`,
        "host: 127.0.0.1",
        ...head,
        ...more,
        ...(body.length > 0 ? [`content-length: ${body.length}`] : []),
        "",
        ""
      ].join("\r\n"),
      "latin1"
    ),
    body
  ])

/** The next thing to send. */
export const attempt = (roll: Dice, world: World): Attempt => {
  const one = plain(roll, world)
  const whole = (parts: ReadonlyArray<Buffer>, kind = "plain"): Attempt => ({
    kind,
    parts,
    expected: [one],
    isWhole: true
  })
  if (!roll.oneIn(4)) {
    const bytes = written(one, ["connection: close"])
    if (!roll.oneIn(20)) return whole([bytes])
    const at = roll.below(bytes.length)
    return whole([bytes.subarray(0, at), bytes.subarray(at)], "in two parts")
  }
  const unknown = (kind: string, bytes: string | Buffer): Attempt => ({
    kind,
    parts: [typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes],
    expected: [],
    isWhole: false
  })
  const { head, method, target } = one
  const lines = (first: string, fields: ReadonlyArray<string>, body = "") => [first, ...fields, "", body].join("\r\n")
  const usual = ["host: 127.0.0.1", ...head, "connection: close"]
  const start = `${method} ${target} HTTP/1.1`
  switch (roll.below(16)) {
    case 0:
      return unknown(
        "a request line",
        lines(
          roll.pick([
            "GET",
            "",
            " ",
            "GET /api/v1/usage",
            "GET /api/v1/usage HTTP/9.9",
            "GET  /api/v1/usage HTTP/1.1",
            "get /api/v1/usage HTTP/1.1",
            "FOO /api/v1/usage HTTP/1.1",
            "GET /api/v1/usage HTTP/1.1 x",
            "\u0016\u0003\u0001\u0002",
            "PRI * HTTP/2.0",
            "GET /\u0000 HTTP/1.1",
            "GET /api/v1/us age HTTP/1.1",
            "GET api/v1/usage HTTP/1.1"
          ]),
          usual
        )
      )
    case 1:
      return unknown(
        "large fields",
        lines(start, [...usual, `x-large: ${"a".repeat(roll.pick([15_000, 16_300, 16_500, 20_000, 24_500, 40_000]))}`])
      )
    case 2:
      return unknown(
        "a long target",
        lines(
          `GET /api/v1/usage?x=${"a".repeat(roll.pick([4_000, 4_070, 4_100, 8_000, 20_000, 40_000]))} HTTP/1.1`,
          usual
        )
      )
    case 3:
      return unknown(
        "chunks",
        lines(
          `POST ${target} HTTP/1.1`,
          [...usual, "transfer-encoding: chunked"],
          roll.pick([
            "zz\r\nabc\r\n0\r\n\r\n",
            "-1\r\nabc\r\n0\r\n\r\n",
            "ffffffffffffffff\r\nabc",
            "3\r\nabcdef\r\n0\r\n\r\n",
            "3\r\nabc",
            "3;x=y\r\n{}\n\r\n0\r\n\r\n",
            "2\r\n{}\r\n0\r\nhost: other\r\n\r\n",
            "2\r\n{}\r\n0\r\n\r\nGET /api/v1/limits HTTP/1.1\r\nhost: x\r\n\r\n"
          ])
        )
      )
    case 4:
      return unknown(
        "a length",
        lines(
          `POST ${target} HTTP/1.1`,
          [
            ...usual,
            ...roll.pick([
              ["content-length: 1"],
              ["content-length: 999"],
              ["content-length: -1"],
              ["content-length: x"],
              ["content-length: 2", "content-length: 3"],
              ["content-length: 2", "transfer-encoding: chunked"],
              ["content-length: 99999999999999999999"],
              ["transfer-encoding: gzip, chunked"],
              ["transfer-encoding: x"]
            ] as const)
          ],
          "{}"
        )
      )
    case 5: {
      const many = Array.from({ length: 2 + roll.below(4) }, () => {
        const next = plain(roll, world)
        // A stream ends no request, and what Node cannot read ends the connection.
        return next.target.includes("/stream") || next.method === "HEAD" ? one : next
      }).filter(({ method: verb, target: to }) => verb !== "HEAD" && !to.includes("/stream"))
      if (many.length === 0) return whole([written(one, ["connection: close"])])
      return {
        kind: "a pipeline",
        parts: [
          Buffer.concat(
            many.map((next, index) => written(next, index === many.length - 1 ? ["connection: close"] : []))
          )
        ],
        expected: many,
        // One that closes the connection, such as a body that is too large, is the last that is answered.
        isWhole: false
      }
    }
    case 6:
      return unknown(
        "bytes in a target",
        Buffer.concat([
          Buffer.from("GET /api/v1/usage"),
          Buffer.from([0xff, 0xc3, 0x28]),
          Buffer.from(` HTTP/1.1\r\n${usual.join("\r\n")}\r\n\r\n`)
        ])
      )
    case 7:
      return unknown(
        "percent",
        lines(
          `GET ${roll.pick(["/api/v1/token/%ff", "/api/v1/%c3%28", "/api/v1/%", "/%2e%2e/api/v1/usage", "/api/v1/usage%00", "/api//v1/usage", "//api/v1/usage", "/api/v1/../v1/usage"])} HTTP/1.1`,
          usual
        )
      )
    case 8:
      return unknown(
        "another form of target",
        lines(
          roll.pick([
            `GET http://127.0.0.1${target} HTTP/1.1`,
            `GET http://other.example${target} HTTP/1.1`,
            "OPTIONS * HTTP/1.1",
            "CONNECT other.example:443 HTTP/1.1",
            "GET http:// HTTP/1.1",
            "GET https://[::1 HTTP/1.1",
            "GET ? HTTP/1.1",
            "GET # HTTP/1.1",
            "TRACE / HTTP/1.1"
          ]),
          usual
        )
      )
    case 9:
      return unknown(
        "fields twice",
        lines(start, [
          ...usual,
          ...roll.pick([
            ["host: 127.0.0.1"],
            ["authorization: Bearer x"],
            ["content-type: application/json", "content-type: text/plain"],
            ["accept: text/html", "accept: image/png"],
            ["idempotency-key: a", "idempotency-key: b"],
            ['if-match: "a"', 'if-match: "b"'],
            ["connection: keep-alive, upgrade"]
          ] as const)
        ])
      )
    case 10:
      return unknown(
        "a host",
        lines(start, [
          ...head,
          ...roll.pick([[], ["host:"], ["host: a b"], ["host: 127.0.0.1:99999"], ["host: [::1"], ["host: @"]] as const),
          "connection: close"
        ])
      )
    case 11:
      return unknown(
        "a field",
        lines(start, [
          ...usual,
          roll.pick([
            ": x",
            "x y: z",
            "x\u0000: y",
            "x: \u0001",
            "no colon",
            "x: a\r\n folded",
            "\u00e9: x",
            "x: \u00ff"
          ])
        ])
      )
    case 12:
      return unknown("version 1.0", lines(`${method} ${target} HTTP/1.0`, head))
    case 13:
      return unknown(
        "an upgrade",
        lines(start, [
          ...usual.slice(0, -1),
          "connection: upgrade, close",
          `upgrade: ${roll.pick(["websocket", "h2c", "TLS/1.0"])}`
        ])
      )
    case 14: {
      const bytes = written(one, ["connection: close"])
      return unknown("half a request", bytes.subarray(0, roll.below(bytes.length)))
    }
    default:
      return unknown("line ends", lines(start, usual).replaceAll("\r\n", roll.pick(["\n", "\r", "\r\r\n"])))
  }
}

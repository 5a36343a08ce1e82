import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Either, FastCheck, Option, TestClock } from "effect"
import * as JsonRpc from "../../../src/chain/rpc/JsonRpc.js"
import { type Transport, TransportError, type TransportReply } from "../../../src/chain/rpc/Transport.js"

const url = "https://user:pa55word@rpc.example.net/v3/k3yk3yk3yk3yk3y0?token=t0kent0ken"

const answering = (reply: Partial<TransportReply> | TransportError): Transport["Type"] => ({
  post: () =>
    reply instanceof TransportError
      ? Effect.fail(reply)
      : Effect.succeed({ status: 200, headers: {}, body: "", ...reply })
})

const call = (method: string): JsonRpc.RpcCall => ({ method, params: [] })

const one = (method: string, reply: Partial<TransportReply> | TransportError) =>
  Effect.flatMap(JsonRpc.exchange(answering(reply), url, [call(method)]), ([answer]) =>
    answer === undefined ? Effect.dieMessage("no answer") : Effect.succeed(answer)
  )

const failing = (method: string, error: unknown) =>
  one(method, { body: JSON.stringify({ jsonrpc: "2.0", id: 1, error }) })

const reason = (answer: Either.Either<unknown, JsonRpc.Fault>) =>
  Either.match(answer, {
    onLeft: ({ reason, retryable }) => `${reason}${retryable ? " retryable" : ""}`,
    onRight: () => "answered"
  })

/**
 * How providers say inside an answer of status 200 that they limit the rate, each as it was recorded (with the wait
 * that it demands, in ms).
 */
const rateLimits: ReadonlyArray<readonly [provider: string, error: object, wait?: number]> = [
  [
    "Alchemy",
    {
      code: 429,
      message:
        "Your app has exceeded its compute units per second capacity. If you have retries enabled, you can safely ignore this message. If not, check out https://docs.alchemy.com/reference/throughput"
    }
  ],
  [
    "Infura",
    {
      code: -32005,
      message: "project ID request rate exceeded",
      data: { rate: { allowed_rps: 5, backoff_seconds: 30, current_rps: 5.2 }, see: "https://infura.io/dashboard" }
    },
    30_000
  ],
  ["Infura, a day", { code: -32005, message: "daily request count exceeded, request rate limited" }],
  [
    "QuickNode",
    {
      code: -32007,
      message: "50/second request limit reached - reduce calls per second or upgrade your account at quicknode.com"
    }
  ],
  ["QuickNode, credits", { code: -32012, message: "credits limited to 6000/sec" }],
  ["Base", { code: -32016, message: "over rate limit" }],
  [
    "a node behind Base",
    {
      code: -32000,
      message:
        '429 Too Many Requests: {"jsonrpc":"2.0","error":{"code":-32016,"message":"over rate limit"},"id":2239375}'
    }
  ],
  [
    "Chainstack",
    {
      code: -32005,
      message: "You've exceeded the RPS limit available on the current plan.",
      data: { try_again_in: "250.5ms" }
    },
    251
  ],
  ["Ankr", { code: -32090, message: "Too many requests, reason: call rate limit exhausted, retry in 10s" }, 10_000],
  [
    "polygon-rpc.com",
    { code: -32090, message: "Too many requests, reason: call rate limit exhausted, retry in 10m0s" },
    600_000
  ],
  ["TheRPC", { code: -32029, message: "Rate limit" }],
  ["NodeReal", { code: -32097, message: "limit" }],
  ["godwoken", { code: -32005, message: "Rate limit exceeded for your ip, please wait 1min and retry" }],
  ["an Avalanche node", { code: -32000, message: "request throttled, try again in 853ms" }, 853]
]

describe("JsonRpc", () => {
  it.effect.each(rateLimits)(
    "takes the words of %s for a limit of the rate, and the wait that they name",
    ([provider, error, wait]) =>
      Effect.gen(function* () {
        for (const method of ["eth_call", "eth_getBalance", "eth_simulateV1"]) {
          const answer = yield* failing(method, error)
          assert.strictEqual(reason(answer), "rate_limited retryable", provider)
          const waits = Option.map(
            Option.flatMap(Either.getLeft(answer), ({ retryAfter }) => retryAfter),
            Duration.toMillis
          )
          assert.deepStrictEqual(waits, Option.fromNullable(wait), provider)
        }
      })
  )

  // As nodes and providers word them; the second column is what evidence will say.
  const worded: ReadonlyArray<readonly [method: string, error: object, expected: string]> = [
    ["eth_foo", { code: -32601, message: "the method eth_foo does not exist/is not available" }, "method_unsupported"],
    ["eth_foo", { code: -32004, message: "Method eth_foo is not supported" }, "method_unsupported"],
    ["eth_foo", { code: -32700, message: "Error: The method eth_foo is not supported." }, "method_unsupported"],
    ["eth_foo", { code: -32000, message: "rpc method is not whitelisted" }, "method_unsupported"],
    ["debug_x", { code: -32600, message: "unsupported method: debug_x on ETH_MAINNET" }, "method_unsupported"],
    ["eth_call", { code: -32000, message: "missing trie node 1a2b (path ) <nil>" }, "archive_required"],
    ["eth_call", { code: -32000, message: "header not found" }, "archive_required retryable"],
    ["eth_call", { code: -32000, message: "header for hash not found" }, "archive_required retryable"],
    ["eth_call", { code: -32001, message: "Resource not found" }, "archive_required retryable"],
    [
      "eth_call",
      { code: -32602, message: "BlockOutOfRangeError: block height is 5 but requested was 9" },
      "archive_required"
    ],
    [
      "eth_getBalance",
      { code: -32000, message: "required historical state unavailable (reexec=128)" },
      "archive_required"
    ],
    ["eth_getBalance", { code: -32000, message: "historical state 0xab is not available" }, "archive_required"],
    ["eth_getBalance", { code: -32002, message: "No state available for block 0x1" }, "archive_required"],
    [
      "eth_getBalance",
      { code: -32000, message: "distance to target block exceeds maximum proof window" },
      "archive_required"
    ],
    ["eth_getBalance", { code: 4444, message: "pruned history unavailable" }, "archive_required"],
    [
      "eth_call",
      { code: -32005, message: "daily request count exceeded, request rate limited" },
      "rate_limited retryable"
    ],
    [
      "eth_call",
      { code: 429, message: "Your app has exceeded its compute units per second capacity" },
      "rate_limited retryable"
    ],
    ["eth_getLogs", { code: -32005, message: "Too Many Requests" }, "rate_limited retryable"],
    ["eth_getLogs", { code: -32005, message: "query returned more than 10000 results" }, "log_range_limited"],
    [
      "eth_getLogs",
      { code: -32602, message: "Log response size exceeded. this block range should work: [0x1, 0x3e8]" },
      "log_range_limited"
    ],
    ["eth_getLogs", { code: -32000, message: "block range is too wide" }, "log_range_limited"],
    ["eth_getLogs", { code: -32614, message: "eth_getLogs is limited to a 10,000 range" }, "log_range_limited"],
    ["eth_getLogs", { code: -32000, message: "query timeout exceeded" }, "log_range_limited"],
    ["eth_getLogs", { code: -32701, message: "Please specify an address in your request" }, "log_range_limited"],
    ["eth_call", { code: -32603, message: "Internal error" }, "rpc_error retryable"],
    ["eth_call", { code: -32000, message: "execution aborted (timeout = 5s)" }, "rpc_error"],
    ["eth_call", { code: -32000, message: "out of gas" }, "rpc_error"],
    ["eth_call", { code: -32603, message: "EVM error OutOfGas" }, "rpc_error"],
    ["eth_call", { code: -32003, message: "Insufficient funds for gas * price + value" }, "rpc_error"],
    ["eth_call", { code: -32602, message: "invalid argument 2: hex string without 0x prefix" }, "rpc_error"],
    ["eth_call", {}, "rpc_error"]
  ]
  it.effect.each(worded)("%s that fails with %j is %s", ([method, error, expected]) =>
    Effect.map(failing(method, error), (answer) => assert.strictEqual(reason(answer), expected))
  )

  const reverts: ReadonlyArray<readonly [node: string, error: unknown, data: string]> = [
    ["geth", { code: 3, message: "execution reverted: no", data: "0x08c379a0" }, "0x08c379a0"],
    ["geth without data", { code: -32000, message: "execution reverted" }, "0x"],
    ["anvil", { code: 3, message: "execution reverted", data: "0x" }, "0x"],
    ["openethereum", { code: -32015, message: "VM execution error.", data: "Reverted 0xabcd" }, "0xabcd"],
    [
      "hardhat",
      {
        code: -32603,
        message: "VM Exception while processing transaction: reverted with reason string 'x'",
        data: { message: "x", data: "0xAB" }
      },
      "0xab"
    ],
    [
      "ganache",
      {
        code: -32000,
        message: "VM Exception while processing transaction: revert",
        data: { hash: "0x12", result: "0xcd", reason: "no" }
      },
      "0xcd"
    ],
    [
      "a contract that speaks of limits",
      { code: 3, message: "execution reverted: rate limit exceeded, missing trie node", data: "0x01" },
      "0x01"
    ],
    ["data alone", { code: -32000, message: "", data: "0x1234" }, "0x1234"],
    ["empty data alone", { code: -32000, message: "", data: "0x" }, "0x"],
    ["empty data without a message", { code: -32000, data: "0x" }, "0x"],
    ["a code that is a text", { code: "3", message: "", data: "0xabcd" }, "0xabcd"],
    ["a text beside an empty message", { code: -32000, message: "", data: "execution reverted" }, "0x"],
    ["a text after a word for trouble", { code: -32603, message: "Internal error", data: "revert: 0xabcd" }, "0xabcd"],
    [
      "a node behind MetaMask",
      {
        code: -32603,
        message: "Internal JSON-RPC error.",
        data: { code: -32000, originalError: { code: 3, message: "execution reverted: no", data: "0xabcd" } }
      },
      "0xabcd"
    ],
    [
      "an error in an error that speaks of limits",
      { code: -32603, message: "Internal error", data: { message: "execution reverted: rate limit exceeded" } },
      "0x"
    ],
    [
      "ganache 6",
      {
        code: -32000,
        message: "VM Exception while processing transaction: revert",
        data: { "0x991f": { error: "revert", program_counter: 255, return: "0xcd", reason: "no" }, stack: "Error" }
      },
      "0xcd"
    ],
    ["openethereum in its message", { code: -32015, message: "VM execution error: Reverted 0xabcd" }, "0xabcd"],
    [
      "lotus in its message",
      { code: 3, message: "message execution failed (exit=[33], revert reason=[0xabcd], vm error=[Error(no)])" },
      "0xabcd"
    ],
    ["an invalid opcode in geth", { code: -32000, message: "invalid opcode: INVALID" }, "0x"],
    ["an invalid opcode in anvil", { code: -32603, message: "EVM error InvalidFEOpcode" }, "0x"],
    ["an empty stack in anvil", { code: -32603, message: "EVM error StackUnderflow" }, "0x"],
    ["a bad jump in geth", { code: -32000, message: "invalid jump destination" }, "0x"],
    ["a bad jump in nethermind", { code: -32015, message: "VM execution error.", data: "BadJumpDestination" }, "0x"],
    ["an error that is a text", "execution revert: 0x", "0x"],
    ["a halt that is a text", "execution error: invalidCode", "0x"],
    [
      "data without its prefix",
      { code: -32603, message: "VM Exception while processing transaction: revert", data: "08c379a0" },
      "0x08c379a0"
    ],
    // What a contract ends by in the words of other clients.
    ...[
      "return data out of bounds",
      "evm: return data out of bounds",
      "EVM error: OutOfOffset",
      "evm error: InvalidCode(Opcode(254))",
      "evm error: DesignatedInvalid",
      "evm error: InvalidJump",
      "INVALID_OPERATION",
      "StaticCallViolation",
      "AccessViolation",
      "EVM error StateChangeDuringStaticCall",
      "max call depth exceeded",
      "evm error: CallTooDeep",
      "BadInstruction",
      "invalid memory access"
    ].map((message) => [message, { code: -32603, message }, "0x"] as const)
  ]
  it.effect.each(reverts)("takes the revert of %s for an answer", ([, error, data]) =>
    Effect.map(failing("eth_call", error), (answer) =>
      assert.deepStrictEqual(answer, Either.right({ _tag: "Reverted", data }) as never)
    )
  )

  it.effect.each<readonly [object]>([
    [{ code: -32000, message: "" }],
    [{ code: -32000, message: "", data: null }],
    [{ code: -32000, message: "", data: {} }],
    [{ code: -32603, message: "Internal error", data: "0x" }],
    [{ code: -32000, message: "rate limit exceeded", data: { message: "execution reverted", data: "0xabcd" } }],
    [{ code: -32000, message: "missing trie node", data: "0xabcd" }],
    [{ code: -32000, message: "block 9 is beyond the latest block 7 of this node", data: "0xabcd" }],
    [{ code: -32601, message: "the method eth_call does not exist", data: "0xabcd" }]
  ])("takes %j of a call for a failure of the endpoint", ([error]) =>
    Effect.map(failing("eth_call", error), (answer) => assert.isTrue(Either.isLeft(answer)))
  )

  it.effect("takes no failure of anything but a call for a revert", () =>
    Effect.map(failing("eth_getBalance", { code: 3, message: "execution reverted", data: "0x12" }), (answer) =>
      assert.strictEqual(reason(answer), "rpc_error")
    )
  )

  it.effect("takes running out of gas for the contract's own end only where the call was given gas of its own", () =>
    Effect.gen(function* () {
      const burnt = { body: JSON.stringify({ id: 1, error: { code: -32000, message: "out of gas" } }) }
      const [given] = yield* JsonRpc.exchange(answering(burnt), url, [
        { method: "eth_call", params: [{ to: "0x01", gas: "0x989680" }, "latest"] }
      ])
      assert.deepStrictEqual(given, Either.right({ _tag: "Reverted", data: "0x" }) as never)
      const [capped] = yield* JsonRpc.exchange(answering(burnt), url, [
        { method: "eth_call", params: [{ to: "0x01" }, "latest"] }
      ])
      assert.isTrue(capped !== undefined && Either.isLeft(capped))
    })
  )

  it.effect("takes null for no answer, except for a block that is looked up by its hash", () =>
    Effect.gen(function* () {
      const none = { body: JSON.stringify({ id: 1, result: null }) }
      for (const method of ["eth_getTransactionReceipt", "eth_chainId", "eth_getBlockByNumber", "eth_getCode"])
        assert.strictEqual(reason(yield* one(method, none)), "rpc_error retryable")
      assert.strictEqual(reason(yield* one("eth_getBlockByHash", none)), "answered")
    })
  )

  const scan = (fromBlock: string, toBlock: string): JsonRpc.RpcCall => ({
    method: "eth_getLogs",
    params: [{ fromBlock, toBlock, topics: [] }]
  })
  const scanned = (reply: Partial<TransportReply>, call: JsonRpc.RpcCall) =>
    Effect.map(JsonRpc.exchange(answering(reply), url, [call]), ([answer]) =>
      answer === undefined
        ? "nothing"
        : Either.match(answer, {
            onLeft: (fault) => `${fault.kind} ${reason(Either.left(fault))}`,
            onRight: () => "read"
          })
    )
  const error = (message: string, code = -32000) => ({
    body: JSON.stringify({ id: 1, error: { code, message } })
  })

  it.effect.each<readonly [string, Partial<TransportReply>]>([
    ["an internal error", error("Internal error", -32603)],
    ["a word for no resource", error("Unable to complete request at this time.", -32001)],
    ["a timeout that says to try again", error("query timeout, try again later")],
    ["a scan that was aborted", error("scan aborted")],
    ["a response that is too large", error("backend response too large", -32020)],
    ["a gateway that gave up", { status: 502, body: "<html>502 Bad Gateway</html>" }],
    ["a gateway that waited too long", { status: 504, body: "<html>504 Gateway Time-out</html>" }],
    ["a text for an error", { body: JSON.stringify({ error: "Internal server error. Forwarder error: 1000." }) }]
  ])("takes %s of a wide scan for its width, and of a single block for what it is", ([, reply]) =>
    Effect.gen(function* () {
      const wide = yield* scanned(reply, scan("0x0", "0xffff"))
      assert.include(wide, "log_range_limited")
      assert.notInclude(wide, "retryable")
      assert.notInclude(yield* scanned({ status: 502, body: "" }, scan("0x1", "0x1")), "log_range_limited")
    })
  )

  it.effect.each<readonly [string]>([
    ["block range extends beyond current head block: requested 100, head 97"],
    ["block range extends beyond current head block"],
    ["block 97 is beyond the latest block 94 of this node, retry later"],
    ["One of the blocks specified in filter (fromBlock, toBlock or blockHash) cannot be found"],
    ["invalid block range params"],
    ["header not found"],
    ["upstream does not have the requested block yet"],
    ["block range extends beyond current head block: requested 106, head 103"],
    ["8633830 could not be found"],
    ["requested to block 106 after last accepted block 103"],
    ["cannot query unfinalized data"],
    ["height 106 must be less than or equal to the current blockchain height 103"],
    ["requested a future epoch (beyond 'latest')"],
    ["toBlock 106 is greater than the latest known block 103"],
    ["toBlock (106) > latest (103)"],
    ["requested toBlock is past head"],
    ["to block is larger than latest"],
    ["block is in the future"],
    ["block 106 is not indexed yet"],
    ["block 106 has not been mined yet"],
    ["block 106 is not yet available"],
    ["the header does not exist (block number: 106)"],
    ["could not find block for height 106"],
    ["Block not found"],
    ["Unknown block"],
    ["end (103) < begin (106)"],
    ["ErrUpstreamBlockUnavailable: block number 106 not available on upstream"]
  ])("takes %j of a scan for an endpoint that is behind, which no narrower scan helps", ([message]) =>
    Effect.map(scanned(error(message), scan("0x0", "0x64")), (said) =>
      assert.strictEqual(said, "behind rpc_error retryable")
    )
  )

  it.effect.each<readonly [string]>([["invalid block range"], ["block number out of range"], ["toBlock is too high"]])(
    "takes %j of a scan for an endpoint that is behind, and for a scan that is too wide",
    ([message]) =>
      Effect.map(scanned(error(message), scan("0x0", "0x64")), (said) =>
        assert.strictEqual(said, "behind log_range_limited")
      )
  )

  it.effect.each<readonly [string]>([
    ["exceed maximum block range: 50000"],
    ["block range exceeds the current limit of 2000 blocks"],
    ["query returned more than 10000 results"],
    ["requested range is greater than the current block range limit"],
    ["block range greater than 10000 max"],
    ["eth_getLogs is limited to 0 - 10000 blocks range"],
    ["invalid block range: at most 500 blocks"],
    ["range of blocks exceeds the last plan's limit"]
  ])("takes %j of a scan for its width alone", ([message]) =>
    Effect.map(scanned(error(message), scan("0x0", "0xffff")), (said) =>
      assert.strictEqual(said, "failed log_range_limited")
    )
  )

  it.effect.each<readonly [string, unknown]>([
    ["as text", "1"],
    ["as a fraction of nothing", "1.0"],
    ["as null", null],
    ["not at all", undefined]
  ])("takes the answer to a single call that gives its id %s", ([, id]) =>
    Effect.gen(function* () {
      const given = yield* one("eth_chainId", { body: JSON.stringify({ jsonrpc: "2.0", id, result: "0x1" }) })
      assert.deepStrictEqual(given, Either.right({ _tag: "Result", result: "0x1" }) as never)
      const revert = { jsonrpc: "2.0", id, error: { code: 3, message: "execution reverted", data: "0xabcd" } }
      const reverted = yield* one("eth_call", { body: JSON.stringify(revert) })
      assert.deepStrictEqual(reverted, Either.right({ _tag: "Reverted", data: "0xabcd" }) as never)
    })
  )

  it.effect.each<readonly [string, unknown]>([
    ["another number", 2],
    ["another number as text", "2"],
    ["a word", "one"],
    ["a negative number as text", "-1"]
  ])("takes no answer whose id is %s", ([, id]) =>
    Effect.map(one("eth_chainId", { body: JSON.stringify({ jsonrpc: "2.0", id, result: "0x1" }) }), (answer) =>
      assert.isTrue(Either.isLeft(answer))
    )
  )

  it.effect("matches the answers of a batch with ids that come back as text, and none that come twice", () =>
    Effect.gen(function* () {
      const calls = [call("eth_getBalance"), call("eth_getBalance"), call("eth_getBalance")]
      const exchanged = (items: ReadonlyArray<object>) =>
        Effect.map(JsonRpc.exchange(answering({ body: JSON.stringify(items) }), url, calls), (answers) =>
          answers.map(
            Either.match({ onLeft: () => null, onRight: (given) => (given._tag === "Result" ? given.result : null) })
          )
        )
      assert.deepStrictEqual(
        yield* exchanged([
          { id: "3", result: "0x3" },
          { id: "1", result: "0x1" },
          { id: 2, result: "0x2" }
        ]),
        ["0x1", "0x2", "0x3"]
      )
      assert.deepStrictEqual(
        yield* exchanged([
          { id: "1", result: "0x1" },
          { id: 1, result: "0xff" },
          { id: null, result: "0x2" },
          { id: "3", result: "0x3" }
        ]),
        [null, null, "0x3"]
      )
    })
  )

  it.effect.each<readonly [string, Partial<TransportReply>]>([
    [
      "one error under the id of the first call",
      { body: JSON.stringify({ id: 1, error: { code: -32600, message: "batch too large" } }) }
    ],
    ["the same in a list", { body: JSON.stringify([{ id: 1, error: { code: -32600, message: "batch too large" } }]) }],
    [
      "an error under another id",
      { status: 500, body: JSON.stringify({ id: 0, error: { code: 31, message: "Batch of more than 3" } }) }
    ],
    ["a text", { body: "batch limit exceeded" }],
    ["an empty list", { body: "[]" }],
    ["a page that forbids it", { status: 403, body: "<html>Request blocked</html>" }],
    ["an answer that was cut off", { body: '[{"id":1,"result":"0x1"},{"id":2,"res' }]
  ])("takes %s for a batch that is too large", ([, reply]) =>
    Effect.map(JsonRpc.exchange(answering(reply), url, [call("eth_getBalance"), call("eth_getCode")]), (answers) =>
      assert.deepStrictEqual(answers.map(Either.match({ onLeft: ({ kind }) => kind, onRight: () => "answered" })), [
        "refused",
        "refused"
      ])
    )
  )

  it.effect(
    "takes answers that are missing or too long together for a batch that is too large, and keeps the others",
    () =>
      Effect.gen(function* () {
        const body = JSON.stringify([
          { id: 1, result: "0x1" },
          { id: 2, error: { code: -32003, message: "response too large" } }
        ])
        const answers = yield* JsonRpc.exchange(answering({ body }), url, [
          call("eth_getBalance"),
          call("eth_getCode"),
          call("eth_getBalance")
        ])
        assert.deepStrictEqual(answers.map(Either.match({ onLeft: ({ kind }) => kind, onRight: () => "answered" })), [
          "answered",
          "oversized",
          "refused"
        ])
      })
  )

  const hints: ReadonlyArray<readonly [message: string, span: number | undefined]> = [
    ["limited to a 2,000 block range", 2_000],
    ["You can make eth_getLogs requests with up to a 2K block range", 2_000],
    ["block range limit is 800", 800],
    ["exceed maximum block range: 50000", 50_000],
    ["maximum is set to 10_000 blocks", 10_000],
    ["range too large, this block range should work: [0x10, 0x1f]", 16],
    ["query returned more than 10000 results", undefined],
    ["query exceeds max results 20000, retry with the range 22142200-22142265", 66],
    ["requested too many blocks from 500 to 20000000, maximum is set to 2048", 2_048],
    ["block range is larger than max block range, block range = 97, max block range = 20", 20],
    ["response size exceeded", undefined]
  ]
  it.effect.each(hints)("understands the range in %j", ([message, span]) =>
    Effect.map(failing("eth_getLogs", { code: -32000, message }), (answer) =>
      assert.deepStrictEqual(
        Either.match(answer, { onLeft: ({ blockSpan }) => blockSpan, onRight: () => Option.none() }),
        Option.fromNullable(span)
      )
    )
  )

  it.effect("reports what happened to the whole request", () =>
    Effect.gen(function* () {
      const lost = (why: TransportError["reason"]) => one("eth_call", new TransportError({ reason: why }))
      const status = (code: number, headers = {}) => one("eth_call", { status: code, body: "<html>", headers })
      const kinds = yield* Effect.all([
        lost("unreachable"),
        lost("timeout"),
        lost("too_large"),
        status(429),
        status(503),
        status(401),
        status(413),
        status(200)
      ])
      assert.deepStrictEqual(
        kinds.map((answer) => [
          Either.match(answer, { onLeft: ({ kind }) => kind, onRight: () => "" }),
          reason(answer)
        ]),
        [
          ["unreachable", "rpc_error retryable"],
          ["timeout", "rpc_error retryable"],
          ["oversized", "rpc_error"],
          ["failed", "rate_limited retryable"],
          ["outage", "rpc_error retryable"],
          ["failed", "rpc_error"],
          ["refused", "rpc_error"],
          ["failed", "rpc_error retryable"]
        ]
      )
    })
  )

  it.effect("reads how long the endpoint demands to wait, in seconds or as a date", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-01-01T00:00:00Z"))
      const after = (header: string) =>
        Effect.map(one("eth_call", { status: 429, headers: { "retry-after": header } }), (answer) =>
          Either.match(answer, {
            onLeft: ({ retryAfter }) => Option.map(retryAfter, Duration.toSeconds),
            onRight: () => Option.none()
          })
        )
      assert.deepStrictEqual(yield* after("7"), Option.some(7))
      assert.deepStrictEqual(yield* after("Thu, 01 Jan 2026 00:00:09 GMT"), Option.some(9))
      assert.deepStrictEqual(yield* after("Thu, 01 Jan 2015 00:00:09 GMT"), Option.some(0))
      assert.deepStrictEqual(yield* after("soon"), Option.none())
    })
  )

  it.effect("takes HTTP 429 for a limit whatever its body says", () =>
    Effect.map(one("eth_call", { status: 429, body: JSON.stringify({ id: 1, result: "0x" }) }), (answer) =>
      assert.strictEqual(reason(answer), "rate_limited retryable")
    )
  )

  it.effect("believes the body of an error status where it answers the call", () =>
    Effect.map(
      one("eth_call", {
        status: 500,
        body: JSON.stringify({ id: 1, error: { code: 3, message: "execution reverted" } })
      }),
      (answer) => assert.strictEqual(reason(answer), "answered")
    )
  )

  it.effect.prop(
    "gives each call of a batch its own answer, in whatever order they come",
    {
      order: FastCheck.shuffledSubarray([1, 2, 3, 4, 5, 6, 7, 8], { minLength: 1 }),
      twice: FastCheck.integer({ min: 1, max: 8 }),
      noise: FastCheck.array(
        FastCheck.json().map((text): unknown => JSON.parse(text)),
        { maxLength: 3 }
      )
    },
    ({ noise, order, twice }) =>
      Effect.gen(function* () {
        const items = order.flatMap((id) => {
          const item = { jsonrpc: "2.0", id, result: `0x${id}` }
          return id === twice ? [item, { ...item, result: "0xff" }] : [item]
        })
        const strangers = noise.map((result, index) => ({ id: 100 + index, result }))
        const body = JSON.stringify([...strangers, null, 7, ...items])
        const calls = Array.from({ length: 8 }, () => call("eth_getBalance"))
        const answers = yield* JsonRpc.exchange(answering({ body }), url, calls)
        answers.forEach((answer, index) => {
          const id = index + 1
          const expected = order.includes(id) && id !== twice ? `0x${id}` : "rpc_error"
          assert.strictEqual(
            Either.match(answer, {
              onLeft: ({ reason }) => reason,
              onRight: (given) => (given._tag === "Result" ? given.result : "")
            }),
            expected
          )
        })
      })
  )

  it.effect.prop(
    "answers every call of every reply, whatever it holds",
    {
      body: FastCheck.oneof(FastCheck.json(), FastCheck.string()),
      status: FastCheck.constantFrom(200, 204, 400, 404, 429, 500)
    },
    ({ body, status }) =>
      Effect.gen(function* () {
        const answers = yield* JsonRpc.exchange(answering({ body, status }), url, [
          call("eth_call"),
          call("eth_getLogs")
        ])
        assert.strictEqual(answers.length, 2)
        for (const answer of answers) assert.isTrue(Either.isLeft(answer))
      })
  )

  it("cleans an endpoint's words of its URL, of other URLs and of what may be a key", () => {
    const clean = JsonRpc.redact(url)
    assert.strictEqual(clean("no project k3yk3yk3yk3yk3y0 at rpc.example.net"), "no project [redacted] at [redacted]")
    assert.strictEqual(clean("see https://docs.example/limits?key=1 for t0kent0ken"), "see [url] for [redacted]")
    assert.strictEqual(clean("bad pa55word"), "bad [redacted]")
    assert.strictEqual(clean("key AbCdEfGhIjKlMnOpQrStUvWx is unknown"), "key [redacted] is unknown")
    assert.strictEqual(
      clean("account 0x00000000000000000000000000000000000000aa"),
      "account 0x00000000000000000000000000000000000000aa"
    )
    assert.strictEqual(clean("one\u0000two\u202ethree\nfour"), "one two three four")
    assert.strictEqual(clean("a ".repeat(500)).length, 160)
  })
})

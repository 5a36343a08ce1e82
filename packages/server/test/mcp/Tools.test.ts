import { Ajv } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import { assert, describe, it } from "vitest"
import * as Tools from "../../src/mcp/Tools.js"
import * as Untrusted from "../../src/mcp/Untrusted.js"

type Schema = { readonly [keyword: string]: unknown }

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null

/** A schema with all that it holds, members of `properties` included. */
const nodes = (schema: Schema): ReadonlyArray<Schema> => [
  schema,
  ...Object.values((schema.properties ?? {}) as Record<string, Schema>).flatMap(nodes),
  ...["items", "additionalProperties", "not"].flatMap((keyword) =>
    isSchema(schema[keyword]) ? nodes(schema[keyword]) : []
  ),
  ...["anyOf", "oneOf", "allOf"].flatMap((keyword) => ((schema[keyword] ?? []) as ReadonlyArray<Schema>).flatMap(nodes))
]

// What providers refuse with a 400, and with it every tool of the same request. Few of it is in their documentation.
const rules: ReadonlyArray<readonly [title: string, source: string, holds: (schema: Schema) => boolean]> = [
  [
    "an object with properties at the top",
    // "schema must have type 'object'", "object schema missing properties" (OpenAI); `inputSchema.type: "object"` (MCP)
    "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool",
    (schema) => schema.type === "object" && isSchema(schema.properties) && !Array.isArray(schema.properties)
  ],
  [
    "no anyOf, oneOf or allOf at the top",
    // "input_schema does not support oneOf, allOf, or anyOf at the top level" (Anthropic)
    "https://github.com/anthropics/claude-code/issues/5319",
    (schema) => !["anyOf", "oneOf", "allOf"].some((keyword) => keyword in schema)
  ],
  [
    "no enum or not at the top",
    // "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level" (OpenAI)
    "https://github.com/langchain-ai/langchainjs/issues/9804",
    (schema) => !["enum", "not"].some((keyword) => keyword in schema)
  ],
  [
    "nothing that has to be resolved, at the top or below",
    // Gemini takes a subset of OpenAPI 3.0: unknown names, such as `$id` and `$ref`, are refused.
    "https://ai.google.dev/api/caching#Schema",
    (schema) =>
      nodes(schema).every((node) => !["$id", "$ref", "$defs", "$schema", "definitions"].some((name) => name in node))
  ],
  [
    "no format but those of all providers",
    // "only 'enum' and 'date-time' are supported for STRING type" (Gemini)
    "https://github.com/google-gemini/gemini-cli/issues/3178",
    (schema) => nodes(schema).every(({ format = "date-time" }) => format === "date-time")
  ],
  [
    "enums of strings",
    // "function declaration enum only allowed for STRING type" (Gemini)
    "https://github.com/decolua/9router/issues/359",
    (schema) =>
      nodes(schema).every(
        ({ enum: values, type }) =>
          values === undefined ||
          (type === "string" && (values as ReadonlyArray<unknown>).every((value) => typeof value === "string"))
      )
  ],
  [
    "properties with names of letters, digits and _.-",
    // "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'" (Anthropic)
    "https://github.com/anthropics/claude-code/issues/9127",
    (schema) =>
      nodes(schema).every(({ properties = {} }) =>
        Object.keys(properties as object).every((name) => /^[a-zA-Z0-9_.-]{1,64}$/.test(name))
      )
  ]
]

// "array schema missing items" (OpenAI) and a type for each parameter (Gemini): of arguments, which alone a model writes.
const isWritable = (schema: Schema): boolean =>
  nodes(schema).every(
    (node) => (typeof node.type === "string" || "anyOf" in node) && (node.type !== "array" || isSchema(node.items))
  )

const offers = {
  "a server": Tools.ofServer,
  "a program that asks one": Tools.throughServer,
  "a session": Tools.ofSession
}

describe("Tools", () => {
  for (const [place, { tools }] of Object.entries(offers))
    for (const { description, input, name, output } of tools)
      it(`${name} of ${place} is taken by every provider`, () => {
        // The same in Anthropic's and OpenAI's references: https://platform.openai.com/docs/api-reference/chat/create
        assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/)
        assert.isAtMost(description.length, 1_024)
        assert.isTrue(isWritable({ ...input }), JSON.stringify(input))
        for (const schema of [input, ...(output === undefined ? [] : [output])].map((one): Schema => ({ ...one }))) {
          // Which draft a client takes it for differs: MCP says 2020-12, its own library compiles draft 7.
          for (const compiler of [new Ajv2020({ strict: true }), new Ajv({ strict: true })])
            assert.doesNotThrow(() => compiler.compile(schema))
          for (const [title, source, holds] of rules)
            assert.isTrue(holds(schema), `${title} (${source}): ${JSON.stringify(schema)}`)
        }
      })

  it("arguments that fit the schema of a tool are taken, and others are not", () => {
    const address = "0x1000000000000000000000000000000000000001"
    const arguments_: ReadonlyArray<readonly [string, object, boolean]> = [
      ["get_usage", {}, true],
      ["get_usage", { today: true }, false],
      ["analyze_token", { address, chain: "base", detail: "full" }, true],
      ["analyze_token", { address, detail: "most" }, false],
      ["analyze_token", {}, false],
      ["create_watch", { target: "token", address, interval_seconds: 900 }, true],
      ["create_watch", { target: "token", address, interval_seconds: 60 }, false],
      ["create_watch", { target: "token", address, interval_seconds: 900.5 }, false],
      ["create_watch", { target: "house", address }, false],
      ["list_events", { limit: 100, after: "MTA0Mg" }, true],
      ["list_events", { limit: 0 }, false]
    ]
    for (const [name, given, fits] of arguments_) {
      const tool = Tools.ofServer.tools.find((one) => one.name === name)
      assert.isDefined(tool)
      const label = `${name} ${JSON.stringify(given)}`
      assert.strictEqual(new Ajv2020().compile({ ...tool.input })(given), fits, label)
      assert.strictEqual(tool.call(given)._tag, fits ? "Asks" : "Refused", label)
    }
  })

  it("a session without a server speaks of no keys, units a day or days that a server keeps things", () => {
    const said = JSON.stringify([Tools.ofSession.instructions, ...Tools.ofSession.tools])
    assert.notMatch(said, /create_key|API key|\b\d+ days\b|cost a unit|1 unit|quota/i)
    const named = (offer: Tools.Offer) => offer.tools.map(({ name }) => name)
    assert.deepStrictEqual(named(Tools.ofSession), named(Tools.ofServer))
    assert.deepStrictEqual(named(Tools.throughServer), [...named(Tools.ofServer), "create_key"])
    assert.match(JSON.stringify(Tools.ofServer.tools), /kept 90 days/)
  })
})

describe("Untrusted", () => {
  it("what is too long is shortened where it is longest, is JSON still, and says so", () => {
    const value = {
      first: "kept",
      params: [{ data: `0x${"ab".repeat(30_000)}` }, ..."x".repeat(500)],
      ...Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`key${index}`, index]))
    }
    const text = Untrusted.json(value, 3_000)
    assert.isAtMost(text.length, 3_000)
    const read = JSON.parse(text)
    assert.strictEqual(read.first, "kept")
    assert.match(read.params[0].data, /^0xabab.*… \(\d+ more characters\)$/)
    assert.match(read.params.at(-1), /^… \(\d+ more\)$/)
    assert.match(read["…"], /^\(\d+ more members\)$/)
    assert.deepStrictEqual(JSON.parse(Untrusted.json(value, 100_000)), value)
  })
})

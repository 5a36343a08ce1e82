/**
 * What the OpenAPI document says of the Model Context Protocol. Its messages are those of the protocol, so the contract of
 * the API has no endpoint for them; `refusals` are the responses of an endpoint that refuses in the same ways.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */
export const make = <R>(refusals: Readonly<Record<string, R>>) => ({
  tags: ["mcp"],
  operationId: "mcp.exchange",
  summary: "Tools for agents, over the Model Context Protocol (streamable HTTP)",
  description:
    "One message of the protocol, and the answer to a request as events. No session is kept, so any process answers any message, and there is no stream to GET. The tools analyse, read executions, compare, explain and watch; each makes a few requests of this API and costs what they cost. A cancelled call ends the wait: the execution goes on, is stored, and is charged once. Callers that may not ask are answered with problem details. So is what is no message of the protocol, unless it is of revision 2026-07-28 or later: then the answer is an error of JSON-RPC, with 404 where there is no such method.",
  parameters: [
    {
      name: "MCP-Protocol-Version",
      in: "header",
      required: false,
      schema: { type: "string" },
      description:
        "The revision of the message. Before 2026-07-28 it is the one that was agreed on when the client initialised; since then each message names it, here and in its `_meta`"
    },
    {
      name: "Mcp-Method",
      in: "header",
      required: false,
      schema: { type: "string" },
      description: "The method of the message, required since 2026-07-28"
    },
    {
      name: "Mcp-Name",
      in: "header",
      required: false,
      schema: { type: "string" },
      description:
        "The name of the tool or prompt, or the URI of the resource, required since 2026-07-28 where there is one"
    },
    {
      name: "Mcp-Session-Id",
      in: "header",
      required: false,
      schema: { type: "string" },
      description:
        "Before 2026-07-28 the id in the answer to `initialize`; with it a cancellation finds its call. Since then a call is cancelled by closing its stream"
    }
  ],
  security: [{ bearer: [] }],
  requestBody: {
    required: true,
    content: { "application/json": { schema: { $ref: "#/components/schemas/McpMessage" } } }
  },
  responses: {
    "200": {
      description: "Events, each a message of the protocol; the last one is the answer.",
      content: { "text/event-stream": { schema: { type: "string" } } }
    },
    "202": { description: "A notification was taken; it has no answer." },
    ...Object.fromEntries(Object.entries(refusals).filter(([status]) => common.has(status))),
    "400": refused(
      "The request cannot be read, or is no message of the protocol.",
      "MalformedRequestProblem",
      "McpError"
    ),
    "404": refused("There is no such method; before 2026-07-28 that is an answer in 200.", "McpError"),
    "403": refused(
      "The operator disabled the key, or the request is of a web page of another origin.",
      "KeyDisabledProblem",
      "OriginForbiddenProblem"
    )
  }
})

const refused = (description: string, ...names: ReadonlyArray<string>) => ({
  description,
  content: {
    "application/json": { schema: { anyOf: names.map((name) => ({ $ref: `#/components/schemas/${name}` })) } }
  }
})

const common = new Set(["401", "405", "406", "413", "414", "415", "421", "429", "431", "500", "503"])

/**
 * The JSON Schema of a message.
 *
 * @see https://www.jsonrpc.org/specification
 */
export const message = {
  type: "object",
  required: ["jsonrpc"],
  properties: {
    jsonrpc: { type: "string", enum: ["2.0"] },
    id: { anyOf: [{ type: "string" }, { type: "integer" }], description: "Absent in a notification" },
    method: { type: "string" },
    params: { type: "object" }
  },
  description: "A JSON-RPC 2.0 message of the Model Context Protocol"
}

/**
 * The JSON Schema of a message that refuses one of revision 2026-07-28 or later.
 *
 * @see https://www.jsonrpc.org/specification#error_object
 */
export const error = {
  type: "object",
  required: ["jsonrpc", "error"],
  properties: {
    jsonrpc: { type: "string", enum: ["2.0"] },
    id: { anyOf: [{ type: "string" }, { type: "integer" }, { type: "null" }] },
    error: {
      type: "object",
      required: ["code", "message"],
      properties: { code: { type: "integer" }, message: { type: "string" }, data: {} }
    }
  },
  description: "An error of JSON-RPC 2.0, for a message that the Model Context Protocol refuses"
}

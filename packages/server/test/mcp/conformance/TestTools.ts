import { setTimeout } from "node:timers/promises"
import {
  type CallToolResult,
  type ClientCapabilities,
  type GetPromptResult,
  type InputRequiredResult,
  inputRequired,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type Server,
  type Tool
} from "@modelcontextprotocol/server"

/**
 * Adds the tools, prompts and resources that the conformance scenarios look for, as far as they need one request only:
 * a tool with a request to its client would wait for an answer that comes in another request, and this server keeps no
 * session.
 */
export const extend = (server: Server): void => {
  server.registerCapabilities({ logging: {}, completions: {} })
  server.setRequestHandler("logging/setLevel", () => ({}))
  server.setRequestHandler("completion/complete", () => ({
    completion: { values: ["test"], total: 1, hasMore: false }
  }))
  server.setRequestHandler("tools/list", () => ({ tools: tools.map(({ listed }) => listed) }))
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq: { _meta, log, notify } }) => {
    const tool = tools.find(({ listed }) => listed.name === params.name)
    if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no tool ${params.name}`)
    const progressToken = _meta?.progressToken
    return tool.call({
      can: server.getClientCapabilities() ?? {},
      log: (data) => log("info", data),
      progress: async (progress) => {
        if (progressToken !== undefined)
          await notify({ method: "notifications/progress", params: { progressToken, progress, total: 100 } })
      }
    })
  })
  server.setRequestHandler("resources/list", () => ({
    resources: [
      { uri: "test://static-text", name: "text" },
      { uri: "test://static-binary", name: "binary" }
    ]
  }))
  server.setRequestHandler("resources/read", ({ params: { uri } }) => {
    const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? []
    if (id !== undefined)
      return { contents: [{ uri, mimeType: "application/json", text: JSON.stringify({ id, templateTest: true }) }] }
    if (uri === "test://static-binary") return { contents: [{ uri, mimeType: "image/png", blob: png }] }
    if (uri !== "test://static-text") throw new ResourceNotFoundError(uri, `there is no resource ${uri}`)
    return { contents: [{ uri, mimeType: "text/plain", text: "This is the content of the static text resource." }] }
  })
  server.setRequestHandler("prompts/list", () => ({
    prompts: Object.keys(prompts).map((name) => ({ name, description: "a prompt of the conformance scenarios" }))
  }))
  server.setRequestHandler("prompts/get", ({ params }) => {
    const write = prompts[params.name]
    if (write === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no prompt ${params.name}`)
    return { messages: write(params.arguments ?? {}).map((content) => ({ role: "user", content })) }
  })
}

interface Meanwhile {
  readonly can: ClientCapabilities
  readonly log: (data: string) => Promise<void>
  readonly progress: (done: number) => Promise<void>
}

type Content = GetPromptResult["messages"][number]["content"]

type Answered = CallToolResult | InputRequiredResult

const tool = (
  name: string,
  call: (meanwhile: Meanwhile) => Answered | Promise<Answered>,
  inputSchema: Tool["inputSchema"] = { type: "object" }
) => ({ listed: { name, description: "a tool of the conformance scenarios", inputSchema }, call })

const said = (value: string): Content => ({ type: "text", text: value })

// One red point.
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
const image: Content = { type: "image", data: png, mimeType: "image/png" }
const audio: Content = {
  type: "audio",
  data: "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAA",
  mimeType: "audio/wav"
}
const resource = (uri: string, mimeType: string, value: string): Content => ({
  type: "resource",
  resource: { uri, mimeType, text: value }
})

const tools = [
  tool("test_simple_text", () => ({ content: [said("This is a simple text response for testing.")] })),
  tool("test_image_content", () => ({ content: [image] })),
  tool("test_audio_content", () => ({ content: [audio] })),
  tool("test_embedded_resource", () => ({
    content: [resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")]
  })),
  tool("test_multiple_content_types", () => ({
    content: [
      said("Multiple content types test:"),
      image,
      resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}')
    ]
  })),
  tool("test_tool_with_logging", async ({ log }) => {
    for (const line of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      await log(line)
      await setTimeout(50)
    }
    return { content: [said("done")] }
  }),
  tool("test_logging_tool", async ({ log }) => {
    await log("said only where the request names a level")
    return { content: [said("done")] }
  }),
  tool("test_missing_capability", ({ can }) => {
    if (can.sampling === undefined)
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
    return { content: [said("done")] }
  }),
  tool("test_streaming_elicitation", () =>
    inputRequired({
      inputRequests: {
        name: inputRequired.elicit({
          message: "What is your name?",
          requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] }
        })
      }
    })
  ),
  tool("test_error_handling", () => ({
    content: [said("This tool intentionally returns an error for testing")],
    isError: true
  })),
  tool("test_tool_with_progress", async ({ progress }) => {
    for (const done of [0, 50, 100]) {
      await progress(done)
      await setTimeout(50)
    }
    return { content: [said("done")] }
  }),
  tool("test_reconnection", () => ({ content: [said("Reconnection test completed successfully")] })),
  tool("json_schema_2020_12_tool", () => ({ content: [said("done")] }), {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    $defs: {
      address: {
        $anchor: "addressDef",
        type: "object",
        properties: { street: { type: "string" }, city: { type: "string" } }
      }
    },
    properties: {
      name: { type: "string" },
      address: { $ref: "#/$defs/address" },
      contactMethod: { type: "string", enum: ["phone", "email"] },
      phone: { type: "string" },
      email: { type: "string" }
    },
    allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    ...{ if: { properties: { contactMethod: { const: "phone" } } }, then: { required: ["phone"] } },
    else: { required: ["email"] },
    additionalProperties: false
  })
]

const prompts: Readonly<Record<string, (given: Readonly<Record<string, string>>) => ReadonlyArray<Content>>> = {
  test_simple_prompt: () => [said("This is a simple prompt for testing.")],
  test_prompt_with_arguments: ({ arg1, arg2 }) => [said(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  test_prompt_with_embedded_resource: ({ resourceUri = "" }) => [
    resource(resourceUri, "text/plain", "Embedded resource content for testing."),
    said("Please process the embedded resource above.")
  ],
  test_prompt_with_image: () => [image, said("Please analyze the image above.")]
}

import type * as LanguageModel from "@effect/ai/LanguageModel"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { flow, identity, type Layer, Option, Redacted, Schema } from "effect"
import * as Wire from "./Wire.js"

/**
 * The models of Anthropic. The object is requested as the input of a tool that the model has to use.
 *
 * @see https://docs.anthropic.com/en/api/messages
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: Wire.WireOptions
): Layer.Layer<LanguageModel.LanguageModel, never, HttpClient.HttpClient> =>
  Wire.layer(
    {
      name: "AnthropicMessages",
      path: "/v1/messages",
      authorise: flow(
        HttpClientRequest.setHeader("anthropic-version", "2023-06-01"),
        options.key === undefined ? identity : HttpClientRequest.setHeader("x-api-key", Redacted.value(options.key))
      ),
      bodies: ({ object, system, user }) => [
        {
          model: options.model,
          max_tokens: options.maxOutputTokens ?? 1024,
          system,
          messages: [{ role: "user", content: user }],
          ...Option.match(object, {
            onNone: () => ({}),
            onSome: ({ name, schema }) => ({
              tools: [{ name, description: "Takes the answer.", input_schema: schema }],
              tool_choice: { type: "tool", name }
            })
          })
        }
      ],
      read: (body) =>
        Option.flatMap(Schema.decodeUnknownOption(Message)(body), ({ content, stop_reason, usage }) => {
          const text = content.flatMap((part) =>
            part.type === "tool_use"
              ? [JSON.stringify(part.input ?? null)]
              : part.type === "text"
                ? (part.text ?? [])
                : []
          )
          const used = content
            .filter(({ type }) => type === "tool_use")
            .map(({ input }) => JSON.stringify(input ?? null))
          const cut = stop_reason === "max_tokens"
          return text.length === 0 && !cut
            ? Option.none()
            : Option.some({
                // What a model says beside the tool that it uses is no part of the object.
                text: (used.length > 0 ? used : text).join(""),
                cut,
                inputTokens: usage?.input_tokens,
                outputTokens: usage?.output_tokens
              })
        })
    },
    { ...options, url: options.url ?? "https://api.anthropic.com" }
  )

const Message = Schema.Struct({
  content: Schema.Array(
    Schema.Struct({
      type: Schema.String,
      text: Schema.optional(Schema.NullOr(Schema.String)),
      input: Schema.optional(Schema.Unknown)
    })
  ),
  stop_reason: Schema.optional(Schema.NullOr(Schema.String)),
  usage: Schema.optional(Schema.NullOr(Schema.Struct({ input_tokens: Schema.Number, output_tokens: Schema.Number })))
})

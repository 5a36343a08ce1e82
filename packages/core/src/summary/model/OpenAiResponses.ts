import type * as LanguageModel from "@effect/ai/LanguageModel"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { type Layer, Option, Schema } from "effect"
import * as Wire from "./Wire.js"

/**
 * The models of OpenAI, by its own API. Nothing is kept there (`store: false`).
 *
 * @see https://platform.openai.com/docs/api-reference/responses/create
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: Wire.WireOptions
): Layer.Layer<LanguageModel.LanguageModel, never, HttpClient.HttpClient> =>
  Wire.layer(
    {
      name: "OpenAiResponses",
      path: "/responses",
      authorise: options.key === undefined ? (request) => request : HttpClientRequest.bearerToken(options.key),
      bodies: ({ object, system, user }) => [
        {
          model: options.model,
          store: false,
          max_output_tokens: options.maxOutputTokens ?? 1024,
          instructions: system,
          input: [{ role: "user", content: [{ type: "input_text", text: user }] }],
          text: {
            format: Option.match(object, {
              onNone: (): object => ({ type: "text" }),
              onSome: ({ name, schema }) => ({ type: "json_schema", name, strict: true, schema })
            })
          }
        }
      ],
      read: (body) =>
        Option.flatMap(Schema.decodeUnknownOption(Reply)(body), ({ incomplete_details, output, usage }) => {
          const text = output.flatMap(({ content }) =>
            (content ?? []).flatMap((part) => (part.type === "output_text" ? (part.text ?? []) : []))
          )
          const cut = incomplete_details?.reason === "max_output_tokens"
          return text.length === 0 && !cut
            ? Option.none()
            : Option.some({
                text: text.join(""),
                cut,
                inputTokens: usage?.input_tokens,
                outputTokens: usage?.output_tokens
              })
        })
    },
    { ...options, url: options.url ?? "https://api.openai.com/v1" }
  )

const Reply = Schema.Struct({
  output: Schema.Array(
    Schema.Struct({
      content: Schema.optional(
        Schema.NullOr(
          Schema.Array(Schema.Struct({ type: Schema.String, text: Schema.optional(Schema.NullOr(Schema.String)) }))
        )
      )
    })
  ),
  incomplete_details: Schema.optional(Schema.NullOr(Schema.Struct({ reason: Schema.optional(Schema.String) }))),
  usage: Schema.optional(Schema.NullOr(Schema.Struct({ input_tokens: Schema.Number, output_tokens: Schema.Number })))
})

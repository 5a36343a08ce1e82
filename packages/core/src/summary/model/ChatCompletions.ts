import type * as LanguageModel from "@effect/ai/LanguageModel"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { type Layer, Option, Schema } from "effect"
import * as Wire from "./Wire.js"

/**
 * Any server that speaks `/chat/completions` as OpenAI does; most that run models on one's own machine do. `url` ends
 * before that path, usually with `/v1`. From a server without support for schemas, any JSON object is requested
 * instead: the schema is in the prompt as well.
 *
 * @see https://platform.openai.com/docs/api-reference/chat/create
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: Wire.WireOptions & { readonly url: string }
): Layer.Layer<LanguageModel.LanguageModel, never, HttpClient.HttpClient> =>
  Wire.layer(
    {
      name: "ChatCompletions",
      path: "/chat/completions",
      authorise: options.key === undefined ? (request) => request : HttpClientRequest.bearerToken(options.key),
      bodies: ({ object, system, user }) => {
        const plain = {
          model: options.model,
          max_tokens: options.maxOutputTokens ?? 1024,
          messages: [
            { role: "system", content: system },
            { role: "user", content: user }
          ]
        }
        return Option.match(object, {
          onNone: () => [plain] as const,
          onSome: ({ name, schema }) =>
            [
              { ...plain, response_format: { type: "json_schema", json_schema: { name, strict: true, schema } } },
              { ...plain, response_format: { type: "json_object" } }
            ] as const
        })
      },
      read: (body) =>
        Option.map(Schema.decodeUnknownOption(Completion)(body), ({ choices: [choice], usage }) => ({
          text: choice.message.content,
          cut: choice.finish_reason === "length",
          inputTokens: usage?.prompt_tokens ?? undefined,
          outputTokens: usage?.completion_tokens ?? undefined
        }))
    },
    options
  )

const Completion = Schema.Struct({
  choices: Schema.NonEmptyArray(
    Schema.Struct({
      message: Schema.Struct({ content: Schema.String }),
      finish_reason: Schema.optional(Schema.NullOr(Schema.String))
    })
  ),
  usage: Schema.optional(
    Schema.NullOr(
      Schema.Struct({
        prompt_tokens: Schema.optional(Schema.NullOr(Schema.Number)),
        completion_tokens: Schema.optional(Schema.NullOr(Schema.Number))
      })
    )
  )
})

import * as AiError from "@effect/ai/AiError"
import * as LanguageModel from "@effect/ai/LanguageModel"
import type * as Prompt from "@effect/ai/Prompt"
import type * as Response from "@effect/ai/Response"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { Effect, JSONSchema, Layer, Option, type Redacted, type Schema, Stream } from "effect"
import * as Outbound from "../../chain/rpc/Outbound.js"

/**
 * Where a model is, and how much it may write.
 *
 * - `model`: its name at the provider.
 * - `key`: where the provider wants one.
 * - `url`: the base of the API, without the last part of the path.
 * - `maxOutputTokens`: 1024.
 * - `maxBodyBytes`: how much of an answer is read (1 MiB).
 */
export interface WireOptions {
  readonly model: string
  readonly key?: Redacted.Redacted<string> | undefined
  readonly url?: string | undefined
  readonly maxOutputTokens?: number | undefined
  readonly maxBodyBytes?: number | undefined
}

/** The content of a request, which every wire format encodes in its own way. */
export interface Question {
  readonly system: string
  readonly user: string
  readonly object: Option.Option<{ readonly name: string; readonly schema: object }>
}

/** What is taken of an answer. `cut` says that the model was stopped before it was done. */
export interface Answer {
  readonly text: string
  readonly cut: boolean
  readonly inputTokens: number | undefined
  readonly outputTokens: number | undefined
}

/**
 * A wire format: the URL and body of a request, and how to read the response. Of several bodies the next one is tried
 * where a provider refuses one as such (400 or 422).
 */
export interface Wire {
  readonly name: string
  readonly path: string
  readonly authorise: (request: HttpClientRequest.HttpClientRequest) => HttpClientRequest.HttpClientRequest
  readonly bodies: (question: Question) => readonly [unknown, ...Array<unknown>]
  readonly read: (body: unknown) => Option.Option<Answer>
}

/** How an answer is described that is longer than it may be. */
export const cutShort = "the model was stopped before it was done"

/** A language model behind a wire format, for text and objects, without tools and streams. */
export const layer = (
  wire: Wire,
  options: WireOptions & { readonly url: string }
): Layer.Layer<LanguageModel.LanguageModel, never, HttpClient.HttpClient> =>
  Layer.effect(
    LanguageModel.LanguageModel,
    Effect.gen(function* () {
      const client = Outbound.client(yield* HttpClient.HttpClient, options.maxBodyBytes ?? 1024 * 1024)
      const at = { module: wire.name, method: "generateText" }
      const url = `${options.url.replace(/\/+$/, "")}${wire.path}`
      let first = 0

      const send = (body: unknown) =>
        HttpClientRequest.post(url).pipe(
          wire.authorise,
          HttpClientRequest.acceptJson,
          HttpClientRequest.bodyJson(body),
          Effect.mapError(() => new AiError.MalformedInput({ ...at, description: "the question is no JSON" })),
          Effect.flatMap((request) => client.execute(request)),
          Effect.catchTags({
            RequestError: ({ reason }) => new AiError.HttpRequestError({ ...at, reason, request: untold }),
            ResponseError: ({ reason, response }) => refused(at, response.status, reason)
          })
        )

      const ask = (
        bodies: ReadonlyArray<unknown>,
        place: number
      ): Effect.Effect<Array<Response.PartEncoded>, AiError.AiError> =>
        Effect.gen(function* () {
          const response = yield* send(bodies[place])
          if ((response.status === 400 || response.status === 422) && place + 1 < bodies.length) {
            return yield* ask(bodies, place + 1)
          }
          if (response.status !== 200) return yield* refused(at, response.status, "StatusCode")
          // A body that the provider accepts is used from now on.
          first = Math.max(first, place)
          const answer = yield* Effect.option(response.json)
          return yield* Option.match(Option.flatMap(answer, wire.read), {
            onNone: () => new AiError.MalformedOutput({ ...at, description: "the answer is not as documented" }),
            onSome: ({ cut, inputTokens, outputTokens, text }) =>
              cut
                ? new AiError.MalformedOutput({ ...at, description: cutShort })
                : Effect.succeed<Array<Response.PartEncoded>>([
                    { type: "text", text },
                    {
                      type: "finish",
                      reason: "stop",
                      usage: { inputTokens, outputTokens, totalTokens: undefined }
                    }
                  ])
          })
        })

      return yield* LanguageModel.make({
        generateText: ({ prompt, responseFormat, tools }) =>
          Option.match(tools.length > 0 ? Option.none() : questionOf(prompt, responseFormat), {
            onNone: () => new AiError.MalformedInput({ ...at, description: "only texts can be asked for, with texts" }),
            onSome: (question) =>
              Effect.suspend(() => {
                const bodies = wire.bodies(question)
                return ask(bodies, Math.min(first, bodies.length - 1))
              })
          }),
        streamText: () => Stream.fail(new AiError.UnknownError({ ...at, description: "streams are not supported" }))
      })
    })
  )

// Errors say nothing of request and answer, which can hold the prompt and the key.
const untold: typeof AiError.HttpRequestDetails.Type = {
  method: "POST",
  url: "",
  urlParams: [],
  hash: Option.none(),
  headers: {}
}

const refused = (
  at: { readonly module: string; readonly method: string },
  status: number,
  reason: AiError.HttpResponseError["reason"]
): AiError.HttpResponseError =>
  new AiError.HttpResponseError({ ...at, reason, request: untold, response: { status, headers: {} } })

const questionOf = (
  prompt: Prompt.Prompt,
  format: LanguageModel.ProviderOptions["responseFormat"]
): Option.Option<Question> => {
  const system: Array<string> = []
  const user: Array<string> = []
  for (const message of prompt.content) {
    if (message.role === "system") system.push(message.content)
    else if (message.role === "user")
      for (const part of message.content) {
        if (part.type !== "text") return Option.none()
        user.push(part.text)
      }
    else return Option.none()
  }
  return Option.some({
    system: system.join("\n\n"),
    user: user.join("\n\n"),
    object:
      format.type === "text" ? Option.none() : Option.some({ name: format.objectName, schema: schemaOf(format.schema) })
  })
}

const schemaOf = (schema: Schema.Schema.Any): object => {
  const { $schema: _, ...rest } = JSONSchema.make(schema as Schema.Schema<unknown>)
  return rest
}

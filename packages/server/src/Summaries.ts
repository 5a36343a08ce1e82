import * as Summarizer from "@assay/core/summary/Summarizer"
import type * as HttpClient from "@effect/platform/HttpClient"
import { Duration, Effect, Layer, Option } from "effect"
import type { Summaries } from "./ServerConfig.js"

/**
 * The configured model, or none. The model clients are loaded only where one is configured.
 *
 * `openai` without a URL is OpenAI's own API; with a URL it is `/chat/completions` there, which most other servers
 * support.
 */
export const layer = (
  summaries: Option.Option<Summaries>
): Layer.Layer<Summarizer.Summarizer, never, HttpClient.HttpClient> =>
  Option.match(summaries, {
    onNone: () => Summarizer.layerDisabled,
    onSome: (configured) =>
      Layer.unwrapEffect(
        Effect.map(
          Effect.promise(() => import("@assay/core/summary/model/ModelSummarizer")),
          (ModelSummarizer) =>
            ModelSummarizer.layer({
              maxOutputTokens: configured.maxOutputTokens,
              timeout: Duration.seconds(configured.timeoutSeconds),
              tokensPerDay: configured.tokensPerDay
            }).pipe(Layer.provide(Layer.unwrapEffect(model(configured))))
        )
      )
  })

const model = ({ key, maxOutputTokens, model, provider, url }: Summaries) => {
  const options = { model, maxOutputTokens, key: Option.getOrUndefined(key) }
  if (provider === "anthropic")
    return Effect.map(
      Effect.promise(() => import("@assay/core/summary/model/AnthropicMessages")),
      (AnthropicMessages) => AnthropicMessages.layer({ ...options, url: Option.getOrUndefined(url) })
    )
  return Option.match(url, {
    onNone: () =>
      Effect.map(
        Effect.promise(() => import("@assay/core/summary/model/OpenAiResponses")),
        (OpenAiResponses) => OpenAiResponses.layer(options)
      ),
    onSome: (base) =>
      Effect.map(
        Effect.promise(() => import("@assay/core/summary/model/ChatCompletions")),
        (ChatCompletions) => ChatCompletions.layer({ ...options, url: base })
      )
  })
}

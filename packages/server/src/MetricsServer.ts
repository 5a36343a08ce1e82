import { createServer } from "node:http"
import * as HttpMiddleware from "@effect/platform/HttpMiddleware"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServer from "@effect/platform/HttpServer"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer } from "effect"
import * as Metrics from "./http/observability/Metrics.js"
import { SettingInvalid } from "./ServerConfig.js"
import { settings } from "./Settings.js"
import * as Families from "./telemetry/Families.js"
import * as ProcessMetrics from "./telemetry/ProcessMetrics.js"

/**
 * `GET /metrics` on an address and a port of its own, separate from the public API. Any client that reaches the port may
 * read it; the metrics hold no key, address or label.
 */
export const layer = (options: { readonly host: string; readonly port: number }): Layer.Layer<never, SettingInvalid> =>
  Layer.unwrapScoped(
    Effect.map(ProcessMetrics.make, (read) =>
      HttpRouter.empty.pipe(
        HttpRouter.get(
          "/metrics",
          Effect.map(Metrics.text, (body) =>
            HttpServerResponse.text(`${body}${Metrics.textOf(read())}`, { contentType: Metrics.contentType })
          )
        ),
        Effect.catchTag("RouteNotFound", () => Effect.succeed(HttpServerResponse.empty({ status: 404 }))),
        HttpServer.serve()
      )
    )
  ).pipe(
    Layer.merge(Layer.effectDiscard(Effect.sync(Families.show))),
    Layer.merge(
      Layer.effectDiscard(HttpServer.addressFormattedWith((address) => Effect.logInfo(`Metrics: ${address}/metrics`)))
    ),
    // A scrape is no trace.
    Layer.locally(HttpMiddleware.currentTracerDisabledWhen, () => true),
    Layer.provide(NodeHttpServer.layer(() => createServer(), options)),
    Layer.mapError(({ cause }) => {
      const { code } = cause as NodeJS.ErrnoException
      return code === "EADDRINUSE" || code === "EACCES"
        ? new SettingInvalid({
            setting: settings.metrics.port.name,
            detail: `the server cannot listen on this port (${code})`
          })
        : new SettingInvalid({
            setting: settings.metrics.host.name,
            detail: `the server cannot listen on this address (${code ?? "unknown reason"})`
          })
    })
  )

import { Deployment } from "@assay/server"
import { NodeRuntime } from "@effect/platform-node"
import { Console, Effect } from "effect"
import * as LibsqlStorage from "./LibsqlStorage.js"

const service = Deployment.layerOver({ storage: LibsqlStorage.layer(process.env.LIBSQL_FILE ?? "assay.libsql") })

NodeRuntime.runMain(
  Effect.catchTag(Deployment.serve(undefined, service), "StartRefused", ({ detail }) =>
    Effect.zipRight(
      Console.error(detail),
      Effect.sync(() => process.exit(1))
    )
  ),
  { disablePrettyLogger: true }
)

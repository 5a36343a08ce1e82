// Writes packages/server/openapi.json from the built contract: `tsc -b && node packages/server/scripts/generateOpenApi.mjs`.
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { OpenApi } from "@effect/platform"
import { Api } from "../dist/api/Api.js"

const path = fileURLToPath(new URL("../openapi.json", import.meta.url))
writeFileSync(path, JSON.stringify(OpenApi.fromApi(Api)))
execFileSync("npx", ["biome", "format", "--write", path], { stdio: "inherit" })

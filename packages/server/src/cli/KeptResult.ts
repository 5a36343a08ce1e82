import type * as FileSystem from "@effect/platform/FileSystem"
import { Effect, type Option } from "effect"
import * as Database from "./Database.js"
import type { Refusal } from "./Refusal.js"
import * as ResultFile from "./ResultFile.js"
import type { Shell } from "./Shell.js"

/** A result by what names it: the id of an execution, which is in the database, or a file. */
export const find = (
  name: string,
  database: Option.Option<string>
): Effect.Effect<ResultFile.Kept, Refusal, Shell | FileSystem.FileSystem> =>
  name.startsWith("exe_")
    ? Effect.flatMap(Database.findExisting(database), (found) => Database.result(found, name))
    : ResultFile.readOne(name)

import { PgStorage } from "@assay/storage-postgres"
import { Redacted } from "effect"
import * as Storage from "./Storage.js"

/** A storage in a Postgres database, for processes of several machines. */
export const postgres = (url: string): Storage.AssayStorage =>
  Storage.ofLayer(PgStorage.layer({ url: Redacted.make(url) }))

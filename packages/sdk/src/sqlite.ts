import { SqliteStorage } from "@assay/storage-sqlite"
import * as Storage from "./Storage.js"

/** A storage in a SQLite file, which is made where it does not exist. Several processes of one machine may share it. */
export const sqlite = (file: string): Storage.AssayStorage => Storage.ofLayer(SqliteStorage.layer({ filename: file }))

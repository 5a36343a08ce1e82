/** @internal `#sha256` where there is Node.js; `Sha256Portable` is its twin elsewhere. */

import { createHash } from "node:crypto"

/** The SHA-256 of a text in UTF-8, as 32 bytes. */
export const sha256 = (text: string): Uint8Array => createHash("sha256").update(text, "utf8").digest()

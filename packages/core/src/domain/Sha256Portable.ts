/** @internal `#sha256` in browsers and workers, which have no synchronous SHA-256 of their own. */

import * as Hash from "ox/Hash"

/** The SHA-256 of a text in UTF-8, as 32 bytes. */
export const sha256 = (text: string): Uint8Array => Hash.sha256(new TextEncoder().encode(text))

/**
 * Whether a message says the revision of the protocol that it is of, as each does since 2026-07-28. It belongs to no session.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28
 */
export const isIn = (message: unknown): boolean =>
  "io.modelcontextprotocol/protocolVersion" in
  ((message as { readonly params?: { readonly _meta?: object } | null } | null)?.params?._meta ?? {})

/**
 * Whether who sent a message expects an error in the form of the protocol: from 2026-07-28 on, which the message or the
 * header `MCP-Protocol-Version` says. Revisions are dates, so they compare as text.
 */
export const expectsProtocolErrors = (message: unknown, revision: string | undefined): boolean =>
  isIn(message) || (revision !== undefined && revision >= "2026-07-28")

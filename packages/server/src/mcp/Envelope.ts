/**
 * Whether a message says the revision of the protocol that it is of, as each does since 2026-07-28. It belongs to no session.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28
 */
export const isIn = (message: unknown): boolean =>
  "io.modelcontextprotocol/protocolVersion" in
  ((message as { readonly params?: { readonly _meta?: object } | null } | null)?.params?._meta ?? {})

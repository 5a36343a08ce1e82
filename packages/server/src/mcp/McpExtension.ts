import type { Server } from "@modelcontextprotocol/server"
import { Context } from "effect"

/**
 * What an embedder adds to the server of the Model Context Protocol, before it is connected: handlers of the protocol's
 * library, which take the place of those of the same method. There is none unless one is provided.
 *
 * @since 0.1.0
 * @category services
 */
export class McpExtension extends Context.Reference<McpExtension>()("@assay/server/mcp/McpExtension", {
  defaultValue: () => ({ extend: (_server: Server): void => {} })
}) {}

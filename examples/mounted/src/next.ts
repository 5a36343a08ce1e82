// In a project of Next this file is app/risk/[[...path]]/route.ts, with Assay.ts beside it.
import { open } from "./Assay.js"

export const runtime = "nodejs"
export const dynamic = "force-dynamic"

// Kept over the reloads of development, each of which loads this file anew.
const kept = globalThis as { assay?: ReturnType<typeof open> }
kept.assay ??= open(process.env.RPC_URL ?? "http://127.0.0.1:8545")
const { assay } = kept

// Next says who the client is only in header fields that a client can write. Where your platform sets one of its own, put
// it into `addresses`; until then all clients are one source to the limits of new keys.
const handle = async (request: Request) => (await assay).web(request)

export { handle as DELETE, handle as GET, handle as HEAD, handle as OPTIONS, handle as PATCH, handle as POST }

// In a project of Next this file is app/risk/[[...path]]/route.ts, with Assay.ts beside it, which Next imports as "./Assay".
import { open } from "./Assay.js"

export const runtime = "nodejs"
export const dynamic = "force-dynamic"

// Kept over the reloads of development, each of which loads this file anew. Opened by the first request, as `next build` loads
// this file too.
const kept = globalThis as { assay?: ReturnType<typeof open> }
const opened = () => {
  kept.assay ??= open(process.env.RPC_URL ?? "http://127.0.0.1:8545")
  return kept.assay
}

// Next says who the client is only in header fields that a client can write. Where your platform sets one of its own, put
// it into `addresses`; until then all clients are one source to the limits of new keys.
const handle = async (request: Request) => {
  // Next compresses the answer itself, also one that is compressed already.
  const headers = new Headers(request.headers)
  headers.delete("accept-encoding")
  return (await opened()).web(new Request(request, { headers }))
}

export { handle as DELETE, handle as GET, handle as HEAD, handle as OPTIONS, handle as PATCH, handle as POST }

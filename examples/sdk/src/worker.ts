// A Worker, as Cloudflare's runtime runs it: GET /0x… reports on an address.
import { AssayError, createAssay } from "@assay/sdk"

export default {
  fetch: async (request: Request, { RPC_URL }: { readonly RPC_URL: string }): Promise<Response> => {
    // One for each request: a Worker may not use what another request opened.
    const assay = createAssay({ chains: { local: { id: 31337, endpoints: RPC_URL, addressBook: 1 } } })
    try {
      return Response.json(await assay.report(new URL(request.url).pathname.slice(1)))
    } catch (error) {
      if (!(error instanceof AssayError)) throw error
      return Response.json({ code: error.code, message: error.message }, { status: 502 })
    } finally {
      await assay.close()
    }
  }
}

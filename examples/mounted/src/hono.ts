import { getConnInfo } from "@hono/node-server/conninfo"
import { Hono } from "hono"
import { type Assay, addresses } from "./Assay.js"

export const mount = (assay: Assay) => {
  const app = new Hono()
  app.get("/", (context) => context.text("The page of this program"))
  // Not app.mount, which takes /risk from the URL.
  app.all("/risk/*", (context) => {
    const { address } = getConnInfo(context).remote
    if (address !== undefined) addresses.set(context.req.raw, address)
    return assay.web(context.req.raw)
  })
  return app
}

import express from "express"
import type { Assay } from "./Assay.js"

export const mount = (assay: Assay) => {
  const app = express()
  // Before what parses bodies: a parser leaves nothing of a body to read.
  app.use("/risk", assay.node)
  app.use(express.json())
  app.get("/", (_, response) => {
    response.send("The page of this program")
  })
  return app
}

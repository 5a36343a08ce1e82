import { register } from "node:module"

// The package imports `globSync` of Node 22 for a command that is not used here: older releases get an empty one.
const globless = 'export * from "node:fs"; export const globSync = () => []'

const resolver = `
  const url = "data:text/javascript," + ${JSON.stringify(encodeURIComponent(globless))}
  export const resolve = (specifier, context, next) =>
    specifier === "fs" && context.parentURL.includes("/@modelcontextprotocol/conformance/")
      ? { url, shortCircuit: true }
      : next(specifier, context)
`

register(`data:text/javascript,${encodeURIComponent(resolver)}`)

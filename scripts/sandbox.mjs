// `npm run sandbox`: the local chain without a server, on PORT or 8545.
import * as Bundle from "./start/bundle.mjs"

const { run } = await Bundle.load("sandbox", () => console.log("Bundling the sandbox, once for these sources…"))
await run()

// `npm start`: the server on this machine, from the sources. It is bundled where they are new, and runs in this process.
import * as Bundle from "./start/bundle.mjs"
import * as Cache from "./start/cache.mjs"

const { serve } = await Bundle.load("serve", () => console.log("Bundling the server, once for these sources…"))
serve({ state: Cache.chain })

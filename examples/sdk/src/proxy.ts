import { createAssay } from "@assay/sdk"
import { EnvHttpProxyAgent, setGlobalDispatcher } from "undici"

// Every fetch of this program goes through HTTP_PROXY and HTTPS_PROXY, but for the hosts of NO_PROXY.
setGlobalDispatcher(new EnvHttpProxyAgent())

const [endpoint = "", address = ""] = process.argv.slice(2)
const assay = createAssay({ chains: { local: { id: 31337, endpoints: endpoint, addressBook: 1 } } })
const { verdict } = await assay.report(address)
console.log(verdict.level, verdict.score)
await assay.close()

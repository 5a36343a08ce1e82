// Run by scripts/whereItRuns.mjs in a folder that has the SDK and the server: `node service.mjs <endpoint> <address>`.
import { once } from "node:events"
import { createServer } from "node:http"
import { createAssay } from "@assay/sdk"
import { postgres } from "@assay/sdk/postgres"
import { createService } from "@assay/sdk/service"
import { sqlite } from "@assay/sdk/sqlite"

const [endpoint, address] = process.argv.slice(2)
const chains = { local: { id: 31337, endpoints: endpoint, addressBook: 1 } }

const watching = createAssay({ chains, storage: sqlite("watch.db") })
for await (const { status } of watching.watch(address, { everySeconds: 3600 })) {
  console.log(status)
  break
}
await watching.close()

// Nothing is opened before the first call.
await createAssay({ chains, storage: postgres("postgres://127.0.0.1:1/none") }).close()

const service = createService({
  chains,
  basePath: "/risk",
  storage: sqlite("service.db"),
  secretsKeys: [crypto.getRandomValues(new Uint8Array(32))]
})
const server = createServer(service.nodeHandler).listen(0, "127.0.0.1")
await once(server, "listening")
const { key } = await service.keys.create({ label: "my bot" })
const headers = { authorization: `Bearer ${key}` }
const path = `/risk/api/v1/token/${address}?chain=31337`
const byNode = await fetch(`http://127.0.0.1:${server.address().port}${path}`, { headers })
const byWeb = await service.handler(new Request(`http://127.0.0.1${path}`, { headers }))
for (const response of [byNode, byWeb]) console.log((await response.json()).facts?.risk.level)
server.close()
await service.close()

import { createAssay } from "@assay/sdk"
import { sqlite } from "@assay/sdk/sqlite"

const [endpoint = "", address = "", file = "watch.db"] = process.argv.slice(2)
const assay = createAssay({
  chains: { local: { id: 31337, endpoints: endpoint, addressBook: 1 } },
  storage: sqlite(file)
})
for await (const event of assay.watch(address, { everySeconds: 3600 })) {
  if (event.status === "failed") console.error(event.error.message)
  else if (event.status === "changed")
    for (const { severity, title } of event.changes.changes) console.log(severity, title)
  else console.log(event.status)
}

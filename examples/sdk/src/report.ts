import { AssayError, createAssay } from "@assay/sdk"

const [endpoint = "", address = ""] = process.argv.slice(2)
const assay = createAssay({ chains: { local: { id: 31337, endpoints: endpoint, addressBook: 1 } } })
try {
  const { headline, reasons, verdict } = await assay.report(address)
  console.log(verdict.level, verdict.score, headline.text)
  for (const { evidence_ids, text } of reasons) console.log(text, evidence_ids)
} catch (error) {
  if (!(error instanceof AssayError)) throw error
  console.error(error.code, error.message)
}
await assay.close()

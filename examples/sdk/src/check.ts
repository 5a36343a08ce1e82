import { type CustomCheck, createAssay } from "@assay/sdk"

const rich: CustomCheck = {
  id: "acme.rich",
  version: 1,
  targets: ["wallet"],
  claim: "The wallet holds more than 100 units of the native coin",
  polarity: "neutral",
  severity: "info",
  dimension: "account",
  run: async ({ address }, chain) => {
    const { observation, value } = await chain.balance(address)
    return {
      state: value > 100n * 10n ** 18n ? "confirmed" : "refuted",
      value: { balance: value.toString() },
      detail: `it holds ${value} wei`,
      observation
    }
  }
}

const [endpoint = "", address = ""] = process.argv.slice(2)
const assay = createAssay({
  chains: { local: { id: 31337, endpoints: endpoint, addressBook: 1 } },
  checks: [rich]
})
const { evidence } = await assay.analyze({ address, kind: "wallet" })
for (const { detail, id, state } of evidence) if (id === rich.id) console.log(state, id, detail)
await assay.close()

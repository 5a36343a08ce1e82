import { parseArgs } from "node:util"
import { loaded } from "./loaded-server.mjs"

/** How long the event loop of a server is blocked: main.mjs says what the figures mean. */
export const loop = async (args) => {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: "string", default: "10" },
      rate: { type: "string", default: "1000" },
      analyses: { type: "string", default: "4" },
      target: { type: "string", multiple: true, default: ["plain", "usdc", "safeOwned", "approver"] }
    }
  })
  const server = await loaded(values.target)
  try {
    const [rate, seconds, many] = [values.rate, values.seconds, values.analyses].map(Number)
    const row = (title, { max, own, p50, p99, p999 }, { requests }, analyses) =>
      console.log(
        `${title.padEnd(26)}${[p50, p99, p999, max, own].map((ms) => ms.toFixed(1).padStart(9)).join("")}${(requests.total / seconds).toFixed(0).padStart(10)}${String(analyses).padStart(10)}`
      )
    console.log(`loop: ${rate} requests a second, ${seconds} s\n`)
    console.log(
      `${"".padEnd(26)}${["p50 ms", "p99 ms", "p99.9 ms", "max ms", "own ms"].map((word) => word.padStart(9)).join("")}${"req/s".padStart(10)}${"analyses".padStart(10)}`
    )
    await server.reads(rate, 2)
    await server.report()
    const alone = await server.reads(rate, seconds)
    row("reads alone", await server.report(), alone, 0)
    const analyses = server.analyse(many)
    await server.report()
    const before = analyses.made()
    const beside = await server.reads(rate, seconds)
    row(`beside ${many} analyses at once`, await server.report(), beside, analyses.made() - before)
    await analyses.end()
  } finally {
    await server.end()
  }
}

import { loadavg } from "node:os"
import { parseArgs } from "node:util"
import { loaded } from "./loaded-server.mjs"

/** Whether a server that is loaded for long takes ever more memory: main.mjs says what the figures mean. */
export const soak = async (args) => {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: "string", default: "30" },
      from: { type: "string", default: "10" },
      rate: { type: "string", default: "300" },
      analyses: { type: "string", default: "4" },
      target: { type: "string", multiple: true, default: ["plain", "usdc", "safeOwned", "approver"] }
    }
  })
  const [minutes, from, rate, many] = [values.minutes, values.from, values.rate, values.analyses].map(Number)
  const server = await loaded(values.target, ["--expose-gc"])
  try {
    console.log(`soak: ${rate} requests a second beside ${many} analyses at once, ${minutes} minutes\n`)
    console.log(
      [
        "minute",
        "req/s",
        "analyses",
        "heap MB",
        "held MB",
        "other MB",
        "RSS MB",
        "p99 ms",
        "p99.9 ms",
        "max ms",
        "own ms",
        "load"
      ]
        .map((word) => word.padStart(9))
        .join("")
    )
    const analyses = server.analyse(many)
    await server.report()
    const rows = []
    for (let minute = 1; minute <= minutes; minute++) {
      const before = analyses.made()
      const { requests } = await server.reads(rate, 60)
      const row = await server.report()
      rows.push(row)
      const figures = [row.heap, row.held, row.other, row.rss, row.p99, row.p999, row.max, row.own].map((each) =>
        each.toFixed(1)
      )
      console.log(
        [minute, (requests.total / 60).toFixed(0), analyses.made() - before, ...figures, loadavg()[0].toFixed(1)]
          .map((figure) => String(figure).padStart(9))
          .join("")
      )
    }
    await analyses.end()
    const kept = rows.slice(from - 1)
    if (kept.length < 2) return
    const ratio = (of) => (Math.max(...kept.slice(1).map(of)) / of(kept[0])).toFixed(3)
    console.log(
      `\nmost after minute ${from} by that of minute ${from}: heap × ${ratio(({ heap }) => heap)}, RSS × ${ratio(({ rss }) => rss)}`
    )
    const slopes = [
      ["heap", kept.map(({ heap }) => heap)],
      ["RSS", kept.map(({ rss }) => rss)]
    ]
    for (const [name, figures] of slopes)
      console.log(`${name}: ${slope(figures).toFixed(3)} MB a minute (least squares)`)
  } finally {
    await server.end()
  }
}

const slope = (figures) => {
  const middle = (figures.length - 1) / 2
  const mean = figures.reduce((sum, figure) => sum + figure, 0) / figures.length
  const [over, under] = figures.reduce(
    ([above, below], figure, i) => [above + (i - middle) * (figure - mean), below + (i - middle) ** 2],
    [0, 0]
  )
  return over / under
}

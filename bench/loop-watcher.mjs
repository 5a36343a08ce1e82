// Watches the event loop and the memory of the process that imports it, from its start, and begins anew on a message.
import { monitorEventLoopDelay } from "node:perf_hooks"
import * as Schedstat from "./schedstat.mjs"

const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
const onCore = () => Schedstat.onCore() ?? performance.now()
let [last, own] = [onCore(), 0]
setInterval(() => {
  const now = onCore()
  own = Math.max(own, now - last)
  last = now
}, 1).unref()
process.on("SIGUSR2", () => {
  const [p50, p99, p999] = [50, 99, 99.9].map((part) => delay.percentile(part) / 1e6)
  const blocked = { p50, p99, p999, max: delay.max / 1e6, own }
  const { heapTotal, rss } = process.memoryUsage()
  // What is kept, where the process may collect what is not.
  globalThis.gc?.()
  const { external, heapUsed } = process.memoryUsage()
  const [heap, held, other, whole] = [heapUsed, heapTotal, external, rss].map((bytes) => bytes / 2 ** 20)
  console.log(`process ${JSON.stringify({ ...blocked, heap, held, other, rss: whole })}`)
  delay.reset()
  last = onCore()
  own = 0
})

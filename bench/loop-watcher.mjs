// Watches the event loop of the process that imports it, from its start, and begins anew on a message.
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
  const ms = (nanoseconds) => nanoseconds / 1e6
  console.log(
    `loop ${JSON.stringify({ p50: ms(delay.percentile(50)), p99: ms(delay.percentile(99)), max: ms(delay.max), own })}`
  )
  delay.reset()
  own = 0
})

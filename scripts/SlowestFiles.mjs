import { relative } from "node:path"

// A reporter for vitest: what a run of many files spent its time on, so that the tests stay as quick as they are.
export default class SlowestFiles {
  onTestRunEnd(modules) {
    if (modules.length < 50) return
    const slowest = modules
      .map((module) => {
        const { collectDuration, duration } = module.diagnostic()
        return { name: relative(process.cwd(), module.moduleId), seconds: (collectDuration + duration) / 1_000 }
      })
      .sort((a, b) => b.seconds - a.seconds)
      .slice(0, 10)
    console.log("\n The ten slowest files, in seconds")
    for (const { name, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(7)}  ${name}`)
  }
}

import { relative } from "node:path"

// A reporter for vitest: what a run of many files spent its time on, so that the tests stay as quick as they are.
export default class SlowestFiles {
  onTestRunEnd(modules) {
    if (modules.length < 50) return
    const files = modules.map((module) => {
      const { collectDuration, duration } = module.diagnostic()
      return { name: relative(process.cwd(), module.moduleId), seconds: (collectDuration + duration) / 1_000 }
    })
    const rooms = new Map()
    for (const { name, seconds } of files) rooms.set(roomOf(name), (rooms.get(roomOf(name)) ?? 0) + seconds)
    const total = files.reduce((sum, { seconds }) => sum + seconds, 0)
    print(
      `Seconds of files by room, ${total.toFixed(0)} in all`,
      [...rooms].map(([name, seconds]) => ({ name, seconds })),
      rooms.size
    )
    print("The ten slowest files, in seconds", files)
  }
}

/** A package, with the folder of its tests: `core/evm`. */
const roomOf = (name) => {
  const [, project, , room = ""] = /^(?:packages|testing|examples)\/([^/]+)\/(test)\/(?:([^/]+)\/)?/.exec(name) ?? [
    name,
    ""
  ]
  return project === "" ? "test" : `${project}${room === "" ? "" : `/${room}`}`
}

const print = (title, all, most = 10) => {
  console.log(`\n ${title}`)
  for (const { name, seconds } of all.sort((a, b) => b.seconds - a.seconds).slice(0, most))
    console.log(`${seconds.toFixed(1).padStart(7)}  ${name}`)
}

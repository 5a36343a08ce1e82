// What `npm run sandbox` runs: the chain alone, built anew so that it has all of its older states, until a signal.
import { Sandbox } from "@assay/sandbox"
import * as OrphanSignal from "@assay/server/cli/OrphanSignal"

const refuse = (detail) => {
  console.error(`assay: ${detail}`)
  process.exit(1)
}

const port = () => {
  const text = process.env.PORT?.trim() || "8545"
  const number = Number(text)
  return /^\d+$/.test(text) && number <= 65_535
    ? number
    : refuse("PORT: expected a port, 0 to 65535 (0 takes a free one)")
}

const listed = (targets) => {
  const lines = []
  let group = ""
  for (const target of Object.values(targets)) {
    if (target.group !== group) lines.push("", target.group)
    group = target.group
    lines.push(`${target.address}  ${target.kind.padEnd(8)}  ${target.name.padEnd(17)}  ${target.description}`)
  }
  return lines
}

/** Serves the chain until SIGINT or SIGTERM; a signal before it is built ends it at once, and the chain with it. */
export const run = async () => {
  const wanted = port()
  OrphanSignal.follow(["sandbox"])
  console.log("Building the sandbox chain (31337)…")
  const sandbox = await Sandbox.start({ port: wanted }).catch(({ message }) => refuse(`the sandbox chain: ${message}`))
  // The chain alone does not keep the process alive.
  const awake = setInterval(() => {}, 60_000)
  let stopping = false
  for (const signal of ["SIGINT", "SIGTERM"])
    process.once(signal, () => {
      stopping = true
      void sandbox.stop()
    })
  console.log(
    [
      `${sandbox.url}, chain ${sandbox.chainId}, block ${sandbox.head.number} ${sandbox.head.hash}`,
      ...listed(sandbox.targets),
      "",
      "Ctrl-C ends it."
    ].join("\n")
  )
  await sandbox.ended
  clearInterval(awake)
  if (!stopping) refuse("the sandbox chain has ended")
}

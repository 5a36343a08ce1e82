import * as Sandbox from "./Sandbox.js"

const sandbox = await Sandbox.start({ port: Number(process.env.PORT ?? 8_545) })

console.log(`${sandbox.url}, chain ${sandbox.chainId}, block ${sandbox.head.number} ${sandbox.head.hash}\n`)
let group = ""
for (const target of Object.values(sandbox.targets)) {
  if (target.group !== group) console.log(`\n${target.group}`)
  group = target.group
  console.log(`${target.address}  ${target.kind.padEnd(8)}  ${target.name.padEnd(17)}  ${target.description}`)
}
console.log("\nCtrl-C ends it.")

// The chain alone does not keep the process alive.
const awake = setInterval(() => {}, 60_000)
void sandbox.ended.then(() => clearInterval(awake))

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void sandbox.stop())
}

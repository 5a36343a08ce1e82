import * as Sandbox from "./Sandbox.js"

const sandbox = await Sandbox.start({ port: Number(process.env.PORT ?? 8_545) })

console.log(`${sandbox.url}, chain ${sandbox.chainId}, block ${sandbox.head.number} ${sandbox.head.hash}\n`)
for (const { name, kind, address, description } of Object.values(sandbox.targets)) {
  console.log(`${address}  ${kind.padEnd(8)}  ${name.padEnd(14)}  ${description}`)
}
console.log("\nCtrl-C ends it.")

// The chain alone does not keep the process alive.
const awake = setInterval(() => {}, 60_000)
void sandbox.ended.then(() => clearInterval(awake))

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void sandbox.stop())
}

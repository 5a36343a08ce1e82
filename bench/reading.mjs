import { parseArgs } from "node:util"
import * as StorageFlow from "@assay/core/evm/summary/StorageFlow"
import { Artifact, HostileCodes } from "@assay/sandbox"
import { Effect } from "effect"
import { median } from "../scripts/quantiles.mjs"

/** What reading hostile code costs, beside reading a plain token: main.mjs says what the figures mean. */
export const reading = async (args) => {
  const { values } = parseArgs({ args, options: { rounds: { type: "string", default: "9" } } })
  const plain = Artifact.load("openzeppelin-contracts-4/build/contracts/ERC20PresetFixedSupply.json").deployedBytecode
  const times = new Map(Object.keys(HostileCodes.hostileCodes).map((name) => [name, []]))
  for (let round = 0; round < Number(values.rounds); round++)
    for (const [name, code] of Object.entries(HostileCodes.hostileCodes)) {
      const [first, second] = [await cpuOf(plain), await cpuOf(code)]
      // What is read first has yet to be compiled.
      if (round > 0) times.get(name).push({ cpu: second, ratio: second / first })
    }
  console.log(`reading: CPU of reading code, × that of a plain token, medians of ${values.rounds - 1} rounds`)
  for (const [name, rounds] of times)
    console.log(
      `  ${name.padEnd(36)} ${median(rounds.map((each) => each.cpu)).toFixed(0)} ms, ${median(rounds.map((each) => each.ratio)).toFixed(1)}×`
    )
}

const cpuOf = async (code) => {
  const before = process.cpuUsage()
  await Effect.runPromise(StorageFlow.analyse(code))
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

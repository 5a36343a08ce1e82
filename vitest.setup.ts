import { effect, it, layer, prop, scoped } from "@effect/vitest"
import { afterEach } from "vitest"
import * as Midnight from "./test/Midnight.js"
import * as OwnProcesses from "./test/OwnProcesses.js"
import * as Tier from "./test/Tier.js"

// `layer` of @effect/vitest puts methods that run in its services into the one `it` of the process, which files share:
// without this the next file would get the clock of the last one.
Object.assign(it, { effect, layer, prop, scoped })

const shared = globalThis as { assayRefusesProcesses?: true }
if (!Tier.landing && shared.assayRefusesProcesses === undefined) {
  shared.assayRefusesProcesses = true
  OwnProcesses.refuse()
}

Midnight.wait()

// Tests that wait for nothing would run one after another without a turn of the event loop in between, and Vitest takes its
// own process for gone after a minute without one: on a busy machine it then fails a run in which every test passed.
const yieldTurn = setImmediate
afterEach(() => new Promise<void>((resolve) => void yieldTurn(resolve)))

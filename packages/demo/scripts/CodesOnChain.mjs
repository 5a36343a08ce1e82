// What code a saved chain holds, and where each comes from. A licence is that of a code, and no name of a dependency shows
// which of its contracts are on a chain.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { keccak256 } from "viem"

const demo = fileURLToPath(new URL("..", import.meta.url))
const root = join(demo, "../..")

/** A pointer to the code of another account: a clone of EIP-1167, or a delegation of EIP-7702. */
const pointer = /^0x(?:363d3d373d3d3d363d73[0-9a-f]{40}5af43d82803e903d91602b57fd5bf3|ef0100[0-9a-f]{40})$/

const jsonIn = (path) =>
  path.endsWith(".json")
    ? [path]
    : readdirSync(path, { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".json") && !name.endsWith(".dbg.json"))
        .map((name) => join(path, name))

const runtimeOf = ({ deployedBytecode, evm }) => {
  const code = deployedBytecode ?? evm?.deployedBytecode
  const digits = (typeof code === "string" ? code : code?.object)?.replace(/^0x/, "")
  // A library is linked where the artifact has a mark of 20 bytes.
  return digits?.replaceAll(/__.{36}__/g, "0".repeat(40))
}

/** Whether a code is that of an artifact, but for what a constructor fills in: it stands as 20 zeros or more. */
const isOf = (code, artifact) => {
  for (let at = 0; at < code.length; at++) {
    if (code[at] === artifact[at]) continue
    let [first, last] = [at, at]
    while (artifact[first] === 0 && at - first < 32) first--
    while (artifact[last] === 0 && last - at < 32) last++
    if (last - first - 1 < 20) return false
  }
  return true
}

const read = (path) => JSON.parse(readFileSync(path, "utf8"))

/** Every artifact that may be on the chain, by its length in bytes. */
const artifacts = (contracts) => {
  const found = new Map()
  const add = (json) => {
    const digits = runtimeOf(json)
    if (digits === undefined || !/^(?:[0-9a-f]{2})+$/i.test(digits)) return
    const code = Buffer.from(digits, "hex")
    found.set(code.length, [...(found.get(code.length) ?? []), code])
  }
  for (const [name, { artifacts: paths = [] }] of Object.entries(contracts))
    for (const path of paths) for (const file of jsonIn(join(root, "node_modules", name, path))) add(read(file))
  for (const json of Object.values(read(join(root, "testing/sandbox/contracts/compiled.json")))) add(json)
  return found
}

/** The codes of a saved chain that neither `contracts.json` nor the sandbox's own contracts have, with their accounts. */
export const unlisted = (state, { codes, contracts } = read(join(demo, "contracts.json"))) => {
  // An older state would have codes of its own.
  if (state.historical_states != null) throw new Error("a saved chain has the state of its newest block only")
  const accounts = new Map()
  for (const [address, { code }] of Object.entries(state.accounts))
    if (code !== undefined && code !== "0x") accounts.set(code, [...(accounts.get(code) ?? []), address])
  const known = artifacts(contracts)
  return [...accounts].flatMap(([code, at]) => {
    const hash = keccak256(code)
    if (pointer.test(code) || hash in codes) return []
    const bytes = Buffer.from(code.slice(2), "hex")
    return (known.get(bytes.length) ?? []).some((artifact) => isOf(bytes, artifact)) ? [] : [{ hash, accounts: at }]
  })
}

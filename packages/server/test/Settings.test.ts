import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as SettingNames from "../src/SettingNames.js"
import * as Settings from "../src/Settings.js"
import { assay } from "./cli/TestShell.js"

const readme = readFileSync(fileURLToPath(new URL("../README.md", import.meta.url)), "utf8")
const names = Settings.all.map(({ name }) => name)

describe("Settings", () => {
  it("are the table of the README, which `npm run generate` writes", () => {
    assert.include(readme, `\n\n${Settings.markdown()}\n`)
  })

  it("have one name each, and every setting that the README names is one of them", () => {
    assert.strictEqual(new Set(names).size, names.length)
    for (const name of readme.match(/(?<=`)ASSAY_[A-Z_]*[A-Z](?=[`=])/g) ?? [])
      assert.isTrue(SettingNames.known.has(name), name)
  })

  it("are in the help of `assay serve`, each with its default", async () => {
    const { code, output } = await assay(["serve", "--help"])
    assert.strictEqual(code, 0)
    const words = output.replace(/\s+/g, " ")
    for (const [name, text] of Settings.sentences()) assert.include(words, `${name} ${text}`)
    assert.include(words, "ASSAY_PORT The port on which it listens. Default: 8787.")
    assert.include(words, "Or put it into the file that ASSAY_LLM_API_KEY_FILE names.")
    assert.notInclude((await assay(["keys", "--help"])).output, "ASSAY_PORT")
  })
})

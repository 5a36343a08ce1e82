import { SharedSandbox } from "@assay/sandbox"
import { Either } from "effect"
import { assert, beforeAll, describe, it } from "vitest"
import * as AddressList from "../../src/cli/AddressList.js"
import * as InputText from "../../src/cli/InputText.js"
import { assay } from "./TestShell.js"

const one = "0x6B175474E89094C44Da98b954EedeAC495271d0F"
const two = "0xdAC17F958D2ee523a2206206994597C13D831ec7"

/** Each entry as `place address label`, or `place: what is wrong`. */
const read = (text: string): ReadonlyArray<string> =>
  AddressList.parse(text).map(({ address, label, place }) =>
    Either.match(address, {
      onLeft: (wrong) => `${place}: ${wrong}`,
      onRight: (found) => `${place} ${found} ${label}`.trimEnd()
    })
  )

describe("a list of addresses", () => {
  it("has an address a line, as people, spreadsheets and Windows write it, and what else is there is its label", () => {
    const cases: ReadonlyArray<readonly [text: string, ...entries: ReadonlyArray<string>]> = [
      [`${one}\n${two}\n`, `line 1 ${one}`, `line 2 ${two}`],
      [`\ufeff${one}\r\n\r\n${two}`, `line 1 ${one}`, `line 3 ${two}`],
      [`# mine\n\t${one} # the first\n\n\u00a0${two},`, `line 2 ${one}`, `line 4 ${two}`],
      [`"Dai, old","${one}"\n${two};tether;\n`, `line 1 ${one} Dai old`, `line 2 ${two} tether`],
      [`- ${one.toLowerCase()} my token 2`, `line 1 ${one} my token 2`],
      [`Label,Token Address\nDai,${one}`, `line 2 ${one} Dai`],
      [`${one} ${two}`, `line 1 ${one}`, `line 1 ${two}`],
      [`0x${"ab".repeat(32)},${one},0x12`, `line 1 ${one} 0x${"ab".repeat(32)} 0x12`],
      ["\n# nothing\n"]
    ]
    for (const [text, ...entries] of cases) assert.deepStrictEqual(read(text), entries, text)
  })

  it("names each line that has no address, also where another address is on it", () => {
    const no = "is no address: 0x and 40 hex digits. Names are not resolved"
    const wrong = one.replace("6B", "6b")
    assert.deepStrictEqual(read(`0x12\n${two}\nmy token\n${wrong} dai\n${two} ${one.slice(0, -1)}\n`), [
      `line 1: "0x12" ${no}`,
      `line 2 ${two}`,
      `line 3: "my token" ${no}`,
      `line 4: "${wrong}" has a wrong checksum (EIP-55): copy it again, or write it in lower case`,
      `line 5 ${two}`,
      `line 5: "${one.slice(0, -1)}" ${no}`
    ])
  })

  it("is read in UTF-8 and in UTF-16 of either byte order, with a byte order mark or without", () => {
    const text = "Größe\n"
    const little = Buffer.from(text, "utf16le")
    for (const bytes of [
      Buffer.from(text),
      Buffer.from(`\ufeff${text}`),
      little,
      Buffer.from(`\ufeff${text}`, "utf16le"),
      Buffer.from(little).swap16(),
      Buffer.from(`\ufeff${text}`, "utf16le").swap16()
    ])
      assert.strictEqual(InputText.decode(bytes), text)
    assert.strictEqual(InputText.decode(new Uint8Array()), "")
  })
})

describe("assay analyze with a list", () => {
  let sandbox: SharedSandbox.SharedSandbox
  beforeAll(async () => {
    sandbox = await SharedSandbox.take()
  })

  it("does the good lines, names the others first, and ends with a table of all and the code of a mistake", async () => {
    const { honeypot, plain } = sandbox.targets
    const input = `# mine\nmy trap,${honeypot.address}\n0x12\n${plain.address}\n`
    const table = new RegExp(
      `LEVEL +SCORE +ADDRESS +FOUND\ncritical +\\d+ +${honeypot.address} +my trap: [^\n]+\n- +- +line 3 +"0x12" is no address[^\n]+\nminimal +\\d+ +${plain.address} +[^\n]+\n$`
    )
    const json = await assay(["analyze", "-", "--json", "--rpc", sandbox.url], { input })
    assert.match(
      json.errors,
      /^assay: line 3: "0x12" is no address: 0x and 40 hex digits. Names are not resolved\nLEVEL/
    )
    assert.match(json.errors, table)
    const documents = json.output.trimEnd().split("\n")
    assert.deepStrictEqual(
      documents.map((line) => JSON.parse(line).address),
      [honeypot.address, plain.address]
    )
    assert.strictEqual(json.code, 1)
    const text = await assay(["analyze", honeypot.address, plain.address, "--rpc", sandbox.url])
    assert.strictEqual(text.errors, "")
    assert.match(text.output, /advice\.\n\nLEVEL [^\n]*\ncritical [^\n]*\nminimal [^\n]*\n$/)
    assert.strictEqual(text.code, 2)
  })

  it("needs no endpoint to name the lines of a list without an address", async () => {
    const { code, errors, output } = await assay(["analyze", "-"], { input: "0x12\nnothing\n" })
    assert.match(errors, /^assay: line 1: "0x12" is no address[^\n]*\nassay: line 2: "nothing" is no address[^\n]*\n$/)
    assert.strictEqual(output, "")
    assert.strictEqual(code, 1)
  })
})

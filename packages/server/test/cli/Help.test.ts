import { assert, describe, it } from "vitest"
import { assay } from "./TestShell.js"

const commandsOf = (help: string): ReadonlyArray<string> => {
  const [, list = ""] = /^Commands:\n((?: .*\n)+)/m.exec(help) ?? []
  return [...list.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = ""]) => name)
}

const helpOf = async (...args: ReadonlyArray<string>): Promise<string> => {
  const { code, errors, output } = await assay(args)
  assert.deepStrictEqual({ code, errors }, { code: 0, errors: "" }, args.join(" "))
  return output
}

const all = async (path: ReadonlyArray<string>): Promise<ReadonlyArray<readonly [string, string]>> => {
  const help = await helpOf("help", ...path)
  const below = await Promise.all(commandsOf(help).map((name) => all([...path, name])))
  return [[path.join(" "), help], ...below.flat()]
}

describe("the help of the command", () => {
  it("of every command fits into 80 columns, says what each option does, and has no word of the parser", async () => {
    const helps = await all([])
    assert.includeMembers(
      helps.map(([name]) => name),
      ["", "analyze", "keys", "keys set-quota", "watch"]
    )
    for (const [name, help] of helps) {
      assert.isTrue(help.startsWith(`Usage: ${["assay", ...(name === "" ? [] : [name])].join(" ")}`), help)
      for (const line of help.split("\n")) assert.isAtMost(line.length, 80, line)
      assert.notMatch(help, /user-defined|true or false|an integer|one of the following|this (?:setting|option)/i)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what would steer a terminal begins with one.
      assert.notMatch(help, /\u001b|\u00a0/)
      // A row without a description would end with the full stop alone.
      assert.notMatch(help, /\s\.$/m, help)
      const usage = help.slice(0, help.indexOf("\n\n"))
      for (const [, option = ""] of help.matchAll(/^ {2}(--[a-z-]+)/gm)) if (name !== "") assert.include(usage, option)
    }
  })

  it("has in brackets what need not be there, the options that may be there again included", async () => {
    const [analyze = ""] = (await helpOf("help", "analyze")).split("\n\n")
    assert.match(analyze, /^Usage: assay analyze \[--rpc URL\]\.\.\. \[--chain CHAIN\] \[--json\]/)
    assert.match(analyze, /\[--kind token\|wallet\|contract\]/)
    assert.match(analyze, / ADDRESS\.\.\.$/)
    const [migrate] = (await helpOf("migrate", "--help")).split("\n\n")
    assert.strictEqual(migrate, "Usage: assay migrate [--json] --from FILE [--to URL]")
  })

  it("is the same by help, --help and -h, and that of a command before anything else is wrong with it", async () => {
    const root = await helpOf()
    for (const args of [["help"], ["--help"], ["-h"]]) assert.strictEqual(await helpOf(...args), root)
    const list = await helpOf("help", "keys", "list")
    for (const args of [
      ["keys", "help", "list"],
      ["keys", "list", "--help"],
      ["keys", "list", "-h", "--nosuch"]
    ])
      assert.strictEqual(await helpOf(...args), list)
  })

  it("is not needed to mistype: a near command or option is named, in one line and with exit code 1", async () => {
    const address = "0x6b175474e89094c44da98b954eedeac495271d0f"
    const cases: ReadonlyArray<readonly [args: ReadonlyArray<string>, line: string]> = [
      [["analyse", address], 'there is no command "analyse"; did you mean assay analyze?'],
      [["help", "analyse"], 'there is no command "analyse"; did you mean assay analyze?'],
      [["hepl"], 'there is no command "hepl"; did you mean assay help?'],
      [["ver"], 'there is no command "ver"; did you mean assay verify?'],
      [["keys", "lst"], 'there is no command "keys lst"; did you mean assay keys list?'],
      [[address], `there is no command "${address}"; did you mean assay analyze ${address}?`],
      [["frobnicate"], 'there is no command "frobnicate"; assay help lists them'],
      [["keys", "frobnicate"], 'there is no command "keys frobnicate"; assay help keys lists them'],
      [["analyze", address, "--rcp=https://h/secret"], 'there is no option "--rcp"; did you mean --rpc?'],
      [["analyze", address, "--failat", "low"], 'there is no option "--failat"; did you mean --fail-at?'],
      [["analyze", address, "--frobnicate"], 'there is no option "--frobnicate"; assay help analyze lists them'],
      [["analyze", address, "-v"], 'there is no option "-v"; assay help analyze lists them'],
      [["--rpc=https://h/secret", "analyze"], "options come after a command; assay help lists the commands"]
    ]
    for (const [args, line] of cases)
      assert.deepStrictEqual(
        await assay(args),
        { code: 1, errors: `assay: ${line}\n`, output: "" },
        `assay ${args.join(" ")}`
      )
  })

  it("completions and the version are written as they are", async () => {
    assert.match(await helpOf("--version"), /^\d+\.\d+\.\d+\n$/)
    for (const args of [["--completions", "bash"], ["--completions=zsh"], ["--completions", "fish"]])
      assert.include(await helpOf(...args), "analyze")
  })
})

describe("an option", () => {
  it("takes its value after a space or an equals sign, again where it may be there again", async () => {
    // The line is that of the value, so the value was read.
    const line = async (...args: ReadonlyArray<string>) => (await assay(args)).errors
    const address = "0x6b175474e89094c44da98b954eedeac495271d0f"
    for (const rpc of [["--rpc", "nowhere"], ["--rpc=nowhere"]])
      assert.match(await line("analyze", ...rpc, address), /endpoint 1 of --rpc is no URL/)
    for (const args of [
      ["watch", address, "--every=often", "--rpc=x"],
      ["watch", "--every", "often", address, "--rpc", "x"]
    ])
      assert.match(await line(...args), /--every takes a time .*not "often"/)
    assert.match(await line("analyze", address, "--block=newest"), /--block takes a whole number, not "newest"/)
    assert.match(await line("analyze", address, "--format=pdf"), /--format takes one of .*, not "pdf"/)
    assert.match(await line("diff", address, "--block=1", "--block=2"), /no endpoint to read/)
    assert.match(await line("analyze", address, "--json=true"), /--json takes no value/)
    assert.match(await line("analyze", address, "--chain"), /--chain takes a value: --chain CHAIN/)
    assert.match(await line("analyze", address, "--chain", "--json"), /--chain takes a value: --chain CHAIN/)
    assert.match(await line("analyze", address, "--block=1", "--block=2"), /--block is there twice/)
  })
})

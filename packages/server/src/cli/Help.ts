import { Option } from "effect"
import type * as Terminal from "../Terminal.js"
import type * as Form from "./Form.js"
import * as Lines from "./Lines.js"

/**
 * How a command is used, in lines of 80 columns: what need not be there is in brackets. `settings` are those that it reads
 * from the environment.
 */
export const text = (form: Form.Form, terminal: Terminal.Terminal, settings: ReadonlyArray<Row> = []): string => {
  const title = (name: string) => (terminal.hasColours ? `\u001b[1m${name}\u001b[0m` : name)
  const section = (name: string, rows: ReadonlyArray<Row>) =>
    rows.length === 0 ? [] : [`\n${title(`${name}:`)}\n`, ...tableOf(rows)]
  const isGroup = form.commands.length > 0
  const isRoot = form.path.length === 1
  return [
    // The escape characters of a title have no width.
    usageOf(form).replace(/^Usage:/, title),
    "\n",
    Lines.wrap(`${form.description}.`),
    ...section(
      "Commands",
      form.commands.map(({ description, path }) => [path.at(-1) ?? "", `${description}.`])
    ),
    ...section(
      "Arguments",
      form.args.map((each) => [repeated(each.name, each), sentenceOf(each)])
    ),
    ...section("Options", isRoot ? ofAll : form.options.map((each) => [optionOf(each), sentenceOf(each)])),
    ...section("Settings", settings),
    ...(isGroup
      ? [`\n${form.path.join(" ").replace(/^assay/, "assay help")} COMMAND says how a command is used.\n`]
      : []),
    ...(isRoot ? ["To begin: assay demo, or assay analyze 0x… --rpc https://your-endpoint.example\n"] : [])
  ].join("")
}

type Row = readonly [name: string, description: string]

const ofAll: ReadonlyArray<Row> = [
  ["--help", "Says how it is used; after a command, how that is used."],
  ["--version", "Writes the version."],
  ["--completions SHELL", "Writes what completes commands and options in bash, zsh or fish."]
]

const usageOf = ({ args, commands, options, path }: Form.Form): string => {
  const parts = [
    ...path,
    ...(commands.length > 0 ? ["COMMAND"] : []),
    ...options.map((each) => {
      const isOptional = each.isOptional || each.isRepeated
      return repeated(isOptional ? `[${optionOf(each)}]` : optionOf(each), each)
    }),
    ...args.map((each) => repeated(each.isOptional ? `[${each.name}]` : each.name, each))
  ]
  // An option stays on one line with its value.
  const held = parts.map((part) => part.replaceAll(" ", hold))
  return Lines.wrap(["Usage:", ...held].join(" "), "", "  ").replaceAll(hold, " ")
}

const hold = "\u00a0"

const optionOf = ({ name, value }: Form.Parameter): string =>
  Option.match(value, { onNone: () => name, onSome: (taken) => `${name} ${taken.replaceAll(" | ", "|")}` })

const repeated = (written: string, { isRepeated }: Form.Parameter): string => (isRepeated ? `${written}...` : written)

const sentenceOf = ({ description }: Form.Parameter): string => `${description}.`

// A name that is wider has its description below it.
const widest = 22

const tableOf = (rows: ReadonlyArray<Row>): ReadonlyArray<string> => {
  const width = Math.max(...rows.map(([name]) => name.length).filter((length) => length <= widest)) + 4
  const indent = " ".repeat(width)
  return rows.map(([name, description]) => {
    const first = `  ${name}`
    return first.length + 2 <= width
      ? Lines.wrap(description, first.padEnd(width), indent)
      : `${first}\n${Lines.wrap(description, indent, indent)}`
  })
}

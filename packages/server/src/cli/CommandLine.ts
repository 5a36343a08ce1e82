import { parseArgs } from "node:util"
import { Either, Option } from "effect"
import * as Near from "../Near.js"
import type * as Form from "./Form.js"
import { Refusal } from "./Refusal.js"

/**
 * What a command line requests. `args` of a command are its path, then options, each followed by its value, then
 * arguments.
 */
export type CommandLine =
  | { readonly _tag: "Help"; readonly form: Form.Form }
  | { readonly _tag: "Version" }
  | { readonly _tag: "Completions"; readonly shell: Shell }
  | { readonly _tag: "Run"; readonly args: ReadonlyArray<string> }

/** A shell that completes commands and options. */
export type Shell = (typeof shells)[number]

/**
 * Reads the words after `assay`. What is not of the form of a command is refused in one line, with what was probably
 * meant. What was typed is not said again where it may hold a secret, such as the URL of an endpoint.
 */
export const read = (words: ReadonlyArray<string>, form: Form.Form): Either.Either<CommandLine, Refusal> => {
  const [word, ...rest] = words
  if (form.commands.length === 0) return readParameters(words, form)
  if (word === undefined || word === "--help" || word === "-h") return Either.right({ _tag: "Help", form })
  if (word === "help") return readHelp(rest, form)
  if (word === "--version") return Either.right({ _tag: "Version" })
  const [, inline] = /^--completions(?:=(.*))?$/s.exec(word) ?? []
  if (word.startsWith("--completions")) return readShell(inline ?? rest[0])
  if (word.startsWith("-")) return refuse(`options come after a command; ${commandOf(form, "help")} lists the commands`)
  return Either.flatMap(readName(word, form), (found) => read(rest, found))
}

const readHelp = (path: ReadonlyArray<string>, form: Form.Form): Either.Either<CommandLine, Refusal> => {
  const [name, ...rest] = path
  return name === undefined || form.commands.length === 0
    ? Either.right({ _tag: "Help", form })
    : Either.flatMap(readName(name, form), (found) => readHelp(rest, found))
}

const readName = (name: string, form: Form.Form): Either.Either<Form.Form, Refusal> => {
  const names = form.commands.map(({ path }) => path.at(-1) ?? "")
  const found = form.commands[names.indexOf(name)]
  if (found !== undefined) return Either.right(found)
  const before = form.path.slice(1).map((each) => `${each} `)
  const meant = /^0x[0-9a-f]{40}$/i.test(name)
    ? Option.some(`assay analyze ${name}`)
    : Option.map(nearest(name, [...names, "help"]), (near) => `assay ${before.join("")}${near}`)
  return refuse(
    `there is no command ${JSON.stringify(`${before.join("")}${name}`)}; ${Option.match(meant, {
      onNone: () => `${commandOf(form, "help")} lists them`,
      onSome: (near) => `did you mean ${near}?`
    })}`
  )
}

const shells = ["bash", "zsh", "fish"] as const

const readShell = (name: string | undefined): Either.Either<CommandLine, Refusal> => {
  const shell = shells.find((each) => each === name)
  return shell === undefined
    ? refuse(`--completions takes one of ${shells.join(", ")}`)
    : Either.right({ _tag: "Completions", shell })
}

const readParameters = (words: ReadonlyArray<string>, form: Form.Form): Either.Either<CommandLine, Refusal> => {
  const known = new Map(form.options.map((option) => [option.name, option]))
  const { tokens } = parseArgs({
    args: [...words],
    options: Object.fromEntries(
      form.options.map(({ name, value }) => [
        name.slice(2),
        { type: Option.isSome(value) ? ("string" as const) : ("boolean" as const) }
      ])
    ),
    allowPositionals: true,
    strict: false,
    tokens: true
  })
  const options = tokens.filter((token) => token.kind === "option")
  const args = tokens.flatMap((token) => (token.kind === "positional" ? [token.value] : []))
  if (options.some(({ rawName }) => rawName === "--help" || rawName === "-h"))
    return Either.right({ _tag: "Help", form })
  for (const token of options) {
    const option = known.get(token.rawName)
    if (option === undefined) return refuseOption(token.rawName, form)
    const { isRepeated, name, value } = option
    const given = token.value
    if (Option.isNone(value)) {
      if (given !== undefined) return refuse(`${name} takes no value`)
    } else if (given === undefined || (!token.inlineValue && given.startsWith("--")))
      return refuse(`${name} takes a value: ${name} ${value.value.replaceAll(" | ", "|")}`)
    else {
      const cases = value.value.split(" | ")
      if (cases.length > 1 && !cases.includes(given))
        return refuse(`${name} takes one of ${cases.join(", ")}, not ${JSON.stringify(given)}`)
    }
    if (!isRepeated && options.filter(({ rawName }) => rawName === name).length > 1)
      return refuse(`${name} is there twice`)
  }
  const missing = form.options.find(
    ({ isOptional, isRepeated, name }) => !isOptional && !isRepeated && !options.some(({ rawName }) => rawName === name)
  )
  if (missing !== undefined) return refuseUse(`needs ${missing.name}`, form)
  const needed = form.args.filter(({ isOptional, isRepeated }) => !isOptional && !isRepeated)
  const names = form.args.map(({ name }) => name).join(" ")
  if (args.length < needed.length) return refuseUse(`needs ${needed[args.length]?.name}`, form)
  if (args.length > form.args.length && !form.args.some(({ isRepeated }) => isRepeated))
    return refuseUse(names === "" ? "takes no argument" : `takes ${names} and nothing more`, form)
  return Either.right({
    _tag: "Run",
    args: [
      ...form.path.slice(1),
      ...options.flatMap(({ rawName, value }) => (value === undefined ? [rawName] : [rawName, value])),
      ...args
    ]
  })
}

const refuseOption = (name: string, form: Form.Form) =>
  refuse(
    `there is no option ${JSON.stringify(name)}; ${Option.match(
      nearest(
        name,
        form.options.map((option) => option.name)
      ),
      {
        onNone: () => `${commandOf(form, "help")} lists them`,
        onSome: (near) => `did you mean ${near}?`
      }
    )}`
  )

// Who begins a word and stops means the one word that begins so.
const nearest = (name: string, known: ReadonlyArray<string>): Option.Option<string> => {
  const begun = known.filter((each) => each.startsWith(name))
  return begun.length === 1 && name.length > 2 ? Option.fromNullable(begun[0]) : Near.nearest(name, known)
}

const commandOf = ({ path: [program, ...path] }: Form.Form, before = ""): string =>
  [program, before, ...path].filter((word) => word !== "").join(" ")

const refuseUse = (what: string, form: Form.Form) =>
  refuse(`${form.path.slice(1).join(" ")} ${what}; ${commandOf(form, "help")} says how it is used`)

const refuse = (detail: string): Either.Either<never, Refusal> => Either.left(new Refusal({ detail }))

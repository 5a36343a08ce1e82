import * as CliConfig from "@effect/cli/CliConfig"
import * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import type * as HelpDoc from "@effect/cli/HelpDoc"
import type * as Span from "@effect/cli/HelpDoc/Span"
import type * as Usage from "@effect/cli/Usage"
import { HashSet, type Option } from "effect"

/**
 * What a command takes: its options and arguments, or commands of its own. `path` is how it is called, `assay` first.
 */
export interface Form {
  readonly path: ReadonlyArray<string>
  readonly description: string
  readonly options: ReadonlyArray<Parameter>
  readonly args: ReadonlyArray<Parameter>
  readonly commands: ReadonlyArray<Form>
}

/**
 * An option, by its name with the dashes, or an argument. `value` is what an option takes: a name for it, or its cases
 * divided by `|`; none for one that is on or off.
 */
export interface Parameter {
  readonly name: string
  readonly value: Option.Option<string>
  readonly isOptional: boolean
  readonly isRepeated: boolean
  readonly description: string
}

/** The form of a command that is called after `before`, as the parser knows it, with the commands in it. */
export const of = (
  { descriptor }: { readonly descriptor: CommandDescriptor.Command<unknown> },
  before: ReadonlyArray<string>,
  commands: ReadonlyArray<Form>
): Form => {
  const blocks = blocksOf(CommandDescriptor.getHelp(descriptor, CliConfig.make({ showBuiltIns: false })))
  const definitions = blocks.flatMap((block) => (block._tag === "DescriptionList" ? block.definitions : []))
  const described = new Map(
    definitions.map(([name, doc]) => [textOf(name).split(/ |\.\.\./)[0], paragraphsOf(blocksOf(doc))] as const)
  )
  const heading = blocks.findIndex((block) => block._tag === "Header" && textOf(block.value) === "DESCRIPTION")
  const parameters = namedOf(CommandDescriptor.getUsage(descriptor)).flatMap(({ isOptional, isRepeated, usage }) => {
    const name = usage.names.find((each) => each.startsWith("--")) ?? usage.names[0] ?? ""
    const paragraphs = described.get(name)
    // The first of the parts of the usage is the command itself.
    if (paragraphs === undefined) return []
    // What type it has comes first, and how often it may be there last: both are in the usage.
    const [, ...others] = paragraphs
    if (isOptional || isRepeated) others.pop()
    return [
      {
        name,
        value: usage.acceptedValues,
        isOptional,
        isRepeated,
        description: others.join(" ")
      }
    ]
  })
  return {
    path: [...before, ...HashSet.values(CommandDescriptor.getNames(descriptor))],
    description: heading === -1 ? "" : (paragraphsOf(blocks.slice(heading + 1))[0] ?? ""),
    options: parameters.filter(({ name }) => name.startsWith("-")),
    args: parameters.filter(({ name }) => !name.startsWith("-")).map((each) => ({ ...each, name: plain(each.name) })),
    commands
  }
}

/** An argument is written as in a manual: FILE for `<file>`. */
const plain = (name: string): string => name.replace(/[<>]/g, "").toUpperCase()

interface Named {
  readonly usage: Usage.Named
  readonly isOptional: boolean
  readonly isRepeated: boolean
}

const namedOf = (usage: Usage.Usage): ReadonlyArray<Named> => {
  switch (usage._tag) {
    case "Empty":
    case "Mixed":
      return []
    case "Named":
      return [{ usage, isOptional: false, isRepeated: false }]
    case "Optional":
      return namedOf(usage.usage).map((each) => ({ ...each, isOptional: true }))
    case "Repeated":
      return namedOf(usage.usage).map((each) => ({ ...each, isRepeated: true }))
    case "Alternation":
    case "Concat":
      return [...namedOf(usage.left), ...namedOf(usage.right)]
  }
}

const blocksOf = (doc: HelpDoc.HelpDoc): ReadonlyArray<HelpDoc.HelpDoc> =>
  doc._tag === "Sequence" ? [...blocksOf(doc.left), ...blocksOf(doc.right)] : [doc]

const paragraphsOf = (blocks: ReadonlyArray<HelpDoc.HelpDoc>): Array<string> =>
  blocks.flatMap((block) => (block._tag === "Paragraph" ? [textOf(block.value)] : []))

const textOf = (span: Span.Span): string => {
  switch (span._tag) {
    case "Text":
    case "URI":
      return span.value
    case "Highlight":
    case "Strong":
    case "Weak":
      return textOf(span.value)
    case "Sequence":
      return textOf(span.left) + textOf(span.right)
  }
}

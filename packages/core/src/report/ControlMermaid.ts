/** @internal */

import * as ControlDiagram from "./ControlDiagram.js"

/**
 * The diagram in Mermaid's flowchart language; empty where there is nothing to draw. Every text is quoted, and what the
 * language or HTML could read as its own is written as an entity.
 *
 * @see https://mermaid.js.org/syntax/flowchart.html#entity-codes-to-escape-characters
 */
export const make = (analysis: ControlDiagram.Analyzed): string => {
  const diagram = ControlDiagram.make(analysis)
  if (ControlDiagram.isEmpty(diagram)) return ""
  const names = new Map(diagram.nodes.map(({ id }, place) => [id, `n${place}`]))
  return [
    "flowchart BT",
    ...diagram.nodes.map((node) => `  ${names.get(node.id)}${boxOf(node)}`),
    ...diagram.edges.map((edge) => `  ${names.get(edge.from)} ${arrowOf(edge)} ${names.get(edge.to)}`)
  ].join("\n")
}

const boxOf = ({ addresses, kind, title }: ControlDiagram.Node): string => {
  const text = quote([title, ...addresses].join("\n"))
  switch (kind) {
    case "target":
      return `([${text}])`
    case "code":
      return `[[${text}]]`
    case "unknown":
      return `{{${text}}}`
    default:
      return `[${text}]`
  }
}

const arrowOf = (edge: ControlDiagram.Edge): string =>
  `${edge.kind === "code" || ControlDiagram.isDoubtful(edge) ? "-.->" : "-->"}|${quote(ControlDiagram.labelOf(edge))}|`

const quote = (text: string): string =>
  `"${text
    .split("\n")
    .map((line) => line.replace(/[^\p{L}\p{N} ,.:…]/gu, (letter) => `#${letter.codePointAt(0)};`))
    .join("<br>")}"`

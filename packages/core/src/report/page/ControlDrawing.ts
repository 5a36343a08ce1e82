/** @internal */

import { Graph, layout } from "@dagrejs/dagre"
import { Option } from "effect"
import * as ControlDiagram from "../ControlDiagram.js"
import * as Sentence from "../Sentence.js"
import { element, type Markup } from "./Markup.js"

/**
 * The diagram as SVG, laid out in layers: the target on top and those who control it below, or from the right to the left
 * where that has more room. The list beside it says the same in words.
 */
export const make = (diagram: ControlDiagram.ControlDiagram, title: string): Markup => {
  const [down, across] = [arrange(diagram, "BT"), arrange(diagram, "LR")]
  const { edges, height, nodes, width } = down.width <= room || down.width <= across.width ? down : across
  return element(
    "svg",
    {
      class: "diagram",
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: "img",
      "aria-label": title
    },
    element("title", {}, title),
    edges.map(drawnEdge),
    nodes.map(drawnNode)
  )
}

/** The same as a list: who acts on whom, each a step further from the target. */
export const list = (diagram: ControlDiagram.ControlDiagram): Markup =>
  element("ul", { class: "tree" }, branch(ControlDiagram.tree(diagram)))

const branch = ({ branches, edge, node }: ControlDiagram.Branch): Markup =>
  element(
    "li",
    {},
    element("span", { class: "who" }, node.title === "" ? "Target" : node.title),
    node.addresses.map((address) => [" ", element("code", {}, Sentence.short(address))]),
    changeOf(node) === "" ? null : ` (${changeOf(node)})`,
    Option.match(edge, {
      onNone: () => null,
      onSome: (of) => [
        element(
          "span",
          { class: "quiet" },
          of.kind === "code" ? " · its code runs here" : ` · ${ControlDiagram.labelOf(of)}`
        ),
        changeOf(of) === "" ? null : ` (${changeOf(of)})`
      ]
    }),
    branches.length === 0 ? null : element("ul", {}, branches.map(branch))
  )

const changeOf = ({ before, change }: ControlDiagram.Part): string =>
  change === null ? "" : change === "changed" ? `changed, before: ${before}` : change === "added" ? "new" : "no longer"

// What a page of 1,056 px leaves beside the headings.
const room = 800

interface Box {
  readonly node: ControlDiagram.Node
  readonly lines: ReadonlyArray<string>
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

interface Way {
  readonly edge: ControlDiagram.Edge
  readonly lines: ReadonlyArray<string>
  readonly points: ReadonlyArray<Point>
  readonly at: Point
}

interface Point {
  readonly x: number
  readonly y: number
}

const mostLines = 6

const linesOf = ({ addresses }: ControlDiagram.Node): ReadonlyArray<string> => {
  const shown = addresses.length > mostLines ? addresses.slice(0, mostLines - 1) : addresses
  const more = addresses.length - shown.length
  return [...shown.map(Sentence.short), ...(more > 0 ? [`and ${more} more`] : [])]
}

/** How far each account is from the target, by the edges that lead to it. */
const distances = ({ edges, target }: ControlDiagram.ControlDiagram): ReadonlyMap<string, number> => {
  const steps = new Map([[target, 0]])
  for (const [id, step] of steps)
    for (const { from, kind, to } of edges)
      if (kind === "power" && to === id && !steps.has(from)) steps.set(from, step + 1)
  return steps
}

const arrange = (diagram: ControlDiagram.ControlDiagram, rankdir: "BT" | "LR") => {
  const graph = new Graph({ multigraph: true })
  graph.setGraph({ rankdir, nodesep: 22, ranksep: rankdir === "BT" ? 30 : 26, edgesep: 14, marginx: 4, marginy: 4 })
  for (const node of diagram.nodes) {
    const lines = linesOf(node)
    const texts = [
      widthOf(node.title, 8.6),
      ...lines.map((line) => widthOf(line, 7.1)),
      ...changeLines(node).map((line) => widthOf(line, 7.6))
    ]
    graph.setNode(node.id, {
      width: Math.ceil(46 + Math.max(60, ...texts)),
      height: 28 + 17 * lines.length + 17 * changeLines(node).length
    })
  }
  // An account that acts on one further away (a timelock that executes what its governor decided) is still above it.
  const steps = distances(diagram)
  const isBack = ({ from, kind, to }: ControlDiagram.Edge) =>
    kind === "power" && (steps.get(from) ?? 0) < (steps.get(to) ?? 0)
  const endsOf = (edge: ControlDiagram.Edge) =>
    isBack(edge) ? ([edge.to, edge.from] as const) : ([edge.from, edge.to] as const)
  for (const edge of diagram.edges) {
    const lines = wrap([ControlDiagram.labelOf(edge), changeOf(edge)])
    graph.setEdge(
      ...endsOf(edge),
      {
        width: Math.ceil(10 + Math.max(...lines.map((line) => widthOf(line, 7)))),
        height: 6 + 16 * lines.length,
        labelpos: "c"
      },
      isBack(edge) ? "back" : "forth"
    )
  }
  layout(graph)
  const { height = 0, width = 0 } = graph.graph()
  return {
    width: Math.ceil(width),
    height: Math.ceil(height),
    nodes: diagram.nodes.map((node): Box => {
      const { height, width, x = 0, y = 0 } = graph.node(node.id)
      return { node, lines: linesOf(node), x: x - width / 2, y: y - height / 2, width, height }
    }),
    edges: diagram.edges.map((edge): Way => {
      const { points = [], x = 0, y = 0 } = graph.edge(...endsOf(edge), isBack(edge) ? "back" : "forth")
      return {
        edge,
        lines: wrap([ControlDiagram.labelOf(edge), changeOf(edge)]),
        points: isBack(edge) ? [...points].reverse() : points,
        at: { x, y }
      }
    })
  }
}

// Letters of East Asia are twice as wide.
const widthOf = (text: string, each: number): number =>
  [...text].reduce(
    (sum, letter) => sum + (/[\u1100-\uFFFF\u{10000}-\u{3FFFF}]/u.test(letter) && letter !== "…" ? 2 : 1),
    0
  ) * each

const mostOfLine = 24

/** Each text in lines of about {@link mostOfLine} letters. */
const wrap = (texts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const text of texts.filter((each) => each !== "")) {
    let line = ""
    for (const word of text.split(" ")) {
      if (line !== "" && line.length + 1 + word.length > mostOfLine) {
        lines.push(line)
        line = word
      } else line = line === "" ? word : `${line} ${word}`
    }
    lines.push(line)
  }
  return lines
}

const drawnNode = ({ height, lines, node, width, x, y }: Box): Markup =>
  element(
    "g",
    { class: [node.kind, node.change ?? ""].join(" ").trim(), transform: `translate(${round(x)} ${round(y)})` },
    element("rect", { class: "box", width: round(width), height: round(height), rx: node.kind === "code" ? 2 : 7 }),
    element("path", { class: "glyph", transform: "translate(10 7)", d: glyphs[node.kind] }),
    element("text", { class: "title", x: 34, y: 19 }, node.title),
    lines.map((line, place) => element("text", { class: "mono", x: 34, y: 36 + 17 * place }, line)),
    changeLines(node).map((line, place) =>
      element("text", { class: "change", x: 34, y: 36 + 17 * (lines.length + place) }, line)
    )
  )

const changeLines = (node: ControlDiagram.Node): ReadonlyArray<string> =>
  node.change === null ? [] : wrap([`${signs[node.change]} ${changeOf(node)}`])

const signs = { added: "+", removed: "−", changed: "±" } as const

const drawnEdge = ({ at, edge, lines, points }: Way): Markup => {
  const width = Math.max(...lines.map((line) => widthOf(line, 7))) + 8
  const top = at.y - (16 * lines.length) / 2
  return element(
    "g",
    {
      class: [edge.kind === "code" ? "runs" : "", ControlDiagram.isDoubtful(edge) ? "doubtful" : "", edge.change ?? ""]
        .join(" ")
        .trim()
    },
    element("path", { class: "edge", d: pathOf(points) }),
    element("path", { class: "head", d: headOf(points) }),
    element("rect", {
      class: "under",
      x: round(at.x - width / 2),
      y: round(top - 2),
      width: round(width),
      height: 16 * lines.length + 4,
      rx: 3
    }),
    lines.map((line, place) =>
      element(
        "text",
        {
          class: place >= lines.length - wrap([changeOf(edge)]).length ? "change" : undefined,
          x: round(at.x),
          y: round(top + 12 + 16 * place),
          "text-anchor": "middle"
        },
        line
      )
    )
  )
}

/** A curve through the middles between the points. */
const pathOf = (points: ReadonlyArray<Point>): string => {
  const [first, ...rest] = points
  const last = rest.at(-1)
  if (first === undefined || last === undefined) return ""
  const middles = rest.slice(0, -1).map((point, place) => {
    const next = rest[place + 1] ?? point
    const isLast = place === rest.length - 2
    const to = isLast ? next : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 }
    return `Q${round(point.x)} ${round(point.y)} ${round(to.x)} ${round(to.y)}`
  })
  return `M${round(first.x)} ${round(first.y)}${middles.length === 0 ? `L${round(last.x)} ${round(last.y)}` : middles.join("")}`
}

const headOf = (points: ReadonlyArray<Point>): string => {
  const [end, before] = [points.at(-1), points.at(-2)]
  if (end === undefined || before === undefined) return ""
  const length = Math.hypot(end.x - before.x, end.y - before.y) || 1
  const [dx, dy] = [(end.x - before.x) / length, (end.y - before.y) / length]
  const corner = (side: number) => `${round(end.x - 8 * dx + side * 4 * dy)} ${round(end.y - 8 * dy - side * 4 * dx)}`
  return `M${round(end.x)} ${round(end.y)}L${corner(1)}L${corner(-1)}z`
}

const round = (value: number): number => Math.round(value * 10) / 10

const key = "M6 5.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5zM8.5 8H14v2.5M11.5 8v2"
const sheet = "M4 2h5l3.5 3.5V14H4zM9 2v3.5h3.5M6.5 8.5h3.5M6.5 11h3.5"

/** What each kind is by its shape: a key, a safe, a clock, a ballot, a page of code. */
const glyphs: { readonly [kind in ControlDiagram.Node["kind"]]: string } = {
  target: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM8 5.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5z",
  code: "M5.5 5 2.5 8l3 3M10.5 5l3 3-3 3",
  owners:
    "M4.5 4.5a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6zM11.5 4.5a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6zM1.5 13c0-2 1.3-3 3-3s3 1 3 3M8.5 13c0-2 1.3-3 3-3s3 1 3 3",
  eoa: key,
  delegated_eoa: key,
  safe: "M2.5 2.5h11v10h-11zM8 5.5a2 2 0 1 1 0 4 2 2 0 0 1 0-4zM4.5 12.5v1.5M11.5 12.5v1.5",
  timelock: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM8 4.5V8l2.5 1.5",
  governor: "M2.5 8h11v5.5h-11zM5.5 8V2.5h5V8M5 10.5h6",
  contract: sheet,
  dead: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM3.8 3.8l8.4 8.4",
  unknown: "M5.5 5.5a2.5 2.5 0 1 1 3.6 2.2C8.3 8.2 8 8.6 8 9.8M8 12.3v.4"
}

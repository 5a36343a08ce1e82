import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"

const root = fileURLToPath(new URL("..", import.meta.url))

/** So many lines that say the same are a passage. */
const length = 6

interface Line {
  readonly place: string
  readonly text: string
}

/** The lines of a module that say something, without its imports, and with one name for what each back end calls its own. */
const linesOf = (place: string, source: string): ReadonlyArray<Line> =>
  source
    .replace(/^import [^"]*"[^"]*"$/gm, (statement) => statement.replace(/.+/g, ""))
    .split("\n")
    .map((line, index) => ({
      place: `${place}:${index + 1}`,
      text: line.trim().replace(/\b(?:Pg|Sqlite)(?=[A-Z])/g, "")
    }))
    .filter(({ text }) => /\w/.test(text))

/** Each passage of the one side that stands in the other, where it begins in both. */
const repeated = (ours: ReadonlyArray<ReadonlyArray<Line>>, theirs: ReadonlyArray<ReadonlyArray<Line>>) => {
  const passages = (lines: ReadonlyArray<Line>) =>
    lines.slice(0, Math.max(0, lines.length - length + 1)).map(({ place }, index) => ({
      place,
      text: lines
        .slice(index, index + length)
        .map(({ text }) => text)
        .join("\n")
    }))
  const known = new Map(theirs.flatMap(passages).map(({ place, text }) => [text, place]))
  return ours.flatMap(passages).flatMap(({ place, text }) => {
    const other = known.get(text)
    return other === undefined ? [] : [`${place} is ${other}`]
  })
}

/** The modules of a back end, but for its migrations: one that was released is never edited. */
const modulesOf = (name: string): ReadonlyArray<ReadonlyArray<Line>> => {
  const folder = `packages/${name}/src`
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.startsWith("migrations"))
    .map((path) => linesOf(`${folder}/${path}`, readFileSync(join(root, folder, path), "utf8")))
}

describe("what the SQL stores share stands once", () => {
  it("no passage of six lines of one back end stands in another", () => {
    assert.deepStrictEqual(repeated(modulesOf("storage-postgres"), modulesOf("storage-sqlite")), [])
    assert.deepStrictEqual(repeated(modulesOf("storage-postgres"), modulesOf("storage-sql")), [])
    assert.deepStrictEqual(repeated(modulesOf("storage-sqlite"), modulesOf("storage-sql")), [])
  })

  it("a passage is found between other lines, whatever imports and brackets are around it", () => {
    const passage = [
      "const a = 1",
      "const b = 2",
      "{",
      "const c = 3",
      "const d = Pg.e",
      "",
      "const f = 5",
      "const g = 6"
    ]
    const other = ["const z = 0", ...passage.filter((line) => /\w/.test(line)), "}"]
    const ours = linesOf("ours", ['import {\n  it\n} from "it"', ...passage].join("\n"))
    assert.deepStrictEqual(repeated([ours], [linesOf("theirs", other.join("\n"))]), ["ours:4 is theirs:2"])
    assert.deepStrictEqual(repeated([ours.slice(1)], [linesOf("theirs", other.join("\n"))]), [])
  })
})

import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"

const root = fileURLToPath(new URL("..", import.meta.url))

/**
 * Words that a reader who is no native speaker stumbles over, or that stand for a term of the field. Beside each: what to
 * write. `CONVENTIONS.md` says how this project writes.
 */
const avoided: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bthat of which\b/i, "name it"],
  [/\bwhose\b/i, "with, or a second sentence"],
  [/\b(?:let|lets|letting) go of\b/i, "sell, transfer, release"],
  [/\b(?:come|comes|came|coming) to nothing\b/i, "has no effect"],
  [/\b(?:tell|tells|told|telling)\b/i, "report, say, distinguish"],
  [/\b(?:ask|asks|asked|asking)\b/i, "read, request, call"],
  [/\bsomebody\b/i, "the role: owner, admin, caller, holder, spender, operator"],
  [/\b(?:hand|hands|handed|handing) on\b/i, "delegate, pass"],
  [/\buntold\b/i, "inconclusive"],
  [/\b(?:appointed|spared)\b/i, "privileged, exempt"]
]

/** What a file says to its reader, in pieces: comments, and titles of tests or sentences of a document. */
const piecesOf = (file: string, text: string): ReadonlyArray<string> => {
  if (file.endsWith(".md"))
    // What stands in backticks is a name, and in a fence a program.
    return text
      .replace(/^```[\s\S]*?^```/gm, "")
      .replace(/`[^`]*`/g, "")
      .split(/(?<=[.!?])\s+|\n\s*\n|\||\n(?=\s*[-#])/)
  const comments = text.match(/(?:^[ \t]*(?:\/\/|\/\*|\*).*\n?)+/gm) ?? []
  const titles = file.endsWith(".test.ts")
    ? text.matchAll(/\b(?:it|test|describe)(?:\.\w+|\([^()]*\))*\(\s*("(?:[^"\\\n]|\\.)*"|`[^`]*`)/g)
    : []
  return [...comments, ...[...titles].map(([, title = ""]) => title)]
}

const isAvoided = (piece: string): boolean => avoided.some(([word]) => word.test(piece))

/** The folder of a file, without `packages` and `src`. */
const roomOf = (file: string): string =>
  file
    .split("/")
    .slice(0, -1)
    .join("/")
    .replace(/^packages\//, "")
    .replace("/src", "") || "."

const counts = (): Readonly<Record<string, number>> => {
  const found: Record<string, number> = {}
  const read = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`
      if (/^(?:node_modules|dist|data|generated|compiled|reports|\..+)$/.test(entry.name)) continue
      if (entry.isDirectory()) read(path)
      else if (/\.(?:ts|mjs|md)$/.test(entry.name) && entry.name !== "Words.test.ts") {
        const number = piecesOf(path, readFileSync(join(root, path), "utf8")).filter(isAvoided).length
        if (number > 0) found[roomOf(path)] = (found[roomOf(path)] ?? 0) + number
      }
    }
  }
  read("")
  return Object.fromEntries(Object.entries(found).sort())
}

/** Today's number for each room. */
const budgets: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(new URL("word-budgets.json", import.meta.url), "utf8")
)

describe("words", () => {
  it.each([
    ["/** The account whose balance it is. */\n", "packages/core/src/a.ts", 1],
    ["// It is asked\n// and told.\nconst asked = 1\n", "packages/core/src/a.ts", 1],
    ['it("tells a from b", () => {})\nit.effect(\n  "reads a", f)\n', "packages/core/test/a.test.ts", 1],
    ["It asks. `asked` is a name. Nobody told.\n\n```ts\n// asks\n```\n", "docs/a.md", 2]
  ])("are counted in comments, titles and sentences, and not in code: %s", (text, file, expected) => {
    assert.strictEqual(piecesOf(file, text).filter(isAvoided).length, expected)
  })

  it("that readers stumble over get fewer in every room, and none in a new one", () => {
    assert.deepStrictEqual(
      counts(),
      budgets,
      `more: write ${avoided.map(([word, better]) => `${word.source} as "${better}"`).join("; ")}. Fewer: lower the number in test/word-budgets.json`
    )
  })
})

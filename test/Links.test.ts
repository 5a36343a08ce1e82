import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"

const root = fileURLToPath(new URL("..", import.meta.url))

const isLeftOut = /^(?:node_modules|dist|data|generated|compiled|\..+)$/

const filesIn = (folder: string, pattern: RegExp): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (isLeftOut.test(entry.name)) return []
    return entry.isDirectory() ? filesIn(path, pattern) : pattern.test(entry.name) ? [path] : []
  })

const withoutFences = (text: string): string => text.replace(/^```[\s\S]*?^```/gm, "")

/** The anchors of a document, as GitHub makes them of its headings. */
const anchorsOf = (text: string): ReadonlySet<string> =>
  new Set(
    [...withoutFences(text).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
      heading
        .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, "")
        .replace(/ /g, "-")
    )
  )

/** Links of a document to files that are not there, or to headings that their file does not have. */
const brokenIn = (file: string, text: string): ReadonlyArray<string> =>
  [...withoutFences(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [path = "", anchor] = target.split("#")
      const found = path === "" ? file : join(dirname(file), path)
      if (!existsSync(join(root, found))) return true
      return anchor !== undefined && !anchorsOf(readFileSync(join(root, found), "utf8")).has(anchor)
    })
    .map((target) => `${file}: ${target}`)

describe("links", () => {
  it.each([
    ["[a](README.md), [b](docs/decisions) and [c](https://example.org/x)", 0],
    ["[a](nowhere.md)", 1],
    ["[a](README.md#no-such-heading)", 1],
    ["```md\n[a](nowhere.md)\n```\n", 0]
  ])("are broken where a file or a heading is missing: %s", (text, expected) => {
    assert.strictEqual(brokenIn("a.md", text).length, expected)
  })

  it("in documents lead to files and headings that exist", () => {
    assert.deepStrictEqual(
      filesIn("", /\.md$/).flatMap((file) => brokenIn(file, readFileSync(join(root, file), "utf8"))),
      []
    )
  })

  it("in sources to documents of this repository lead to files that exist", () => {
    const named = /(?<![\w/.-])docs\/[\w/-]+\.md/g
    assert.deepStrictEqual(
      filesIn("", /\.(?:ts|mjs)$/)
        // Tests of texts have made-up ones.
        .filter((file) => !file.startsWith("test/"))
        .flatMap((file) =>
          [...readFileSync(join(root, file), "utf8").matchAll(named)]
            .map(([path]) => path)
            .filter((path) => !existsSync(join(root, path)))
            .map((path) => `${file}: ${path}`)
        ),
      []
    )
  })
})

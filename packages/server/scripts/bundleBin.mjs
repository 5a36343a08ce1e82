// Bundles the sources into dist/bin: the `assay` command as few files, of which each command loads those that it runs. With
// one file a module, most of the time of a start goes into finding and opening 1,500 of them. Decision 0025.
// `--metafile` leaves what esbuild knows of the bundle beside it. `--stale` bundles only where something that the bundle
// there was made of is not the same any more.
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundle, direct } from "../../../scripts/bundle.mjs"

const server = fileURLToPath(new URL("..", import.meta.url))
const root = join(server, "../..")
const target = join(server, "dist/bin")
// In the folder of the bundle, so that each is there with the other; not published.
const record = join(target, "inputs.json")

// Native code, WebAssembly, and a protocol that few processes speak: loaded from where they are installed.
const external = ["better-sqlite3", "evmole", "@modelcontextprotocol/server"]
// What packages try to load, and do without.
const optional = ["bufferutil", "msgpackr-extract", "pg-native", "utf-8-validate"]

const write = async (outdir) =>
  bundle({
    entryPoints: {
      assay: "packages/server/src/main.ts",
      // A program of its own, which its caller looks for beside itself.
      "process/QuickCheck": "packages/storage-sqlite/src/process/QuickCheck.ts"
    },
    outdir,
    splitting: true,
    // The names stay, for whoever reports a defect by its stack.
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    external: [...external, ...optional],
    rewrite: await direct()
  })

/** The folder of the package that a file belongs to. */
const packageOf = (file) => {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const manifest = join(folder, "package.json")
    if (existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).name !== undefined) return folder
  }
}

/** The text of a licence: a file of its own, or the end of the README, from its heading on. */
const licenceIn = (folder) => {
  const read = (name) => {
    const file = readdirSync(folder).find((each) => name.test(each))
    return file === undefined ? undefined : readFileSync(join(folder, file), "utf8")
  }
  return read(/^licen[cs]e/i) ?? /^#+ licen[cs]e\s+([\s\S]*permission[\s\S]*)/im.exec(read(/^readme/i) ?? "")?.[1]
}

/** What is in the bundle of others, by their licences. */
const notice = (inputs) => {
  const folders = new Set(
    Object.keys(inputs)
      .filter((file) => file.includes("node_modules/"))
      .map((file) => packageOf(join(root, file)))
  )
  const texts = [...folders].sort().map((folder) => {
    const { license, name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
    const text = licenceIn(folder)
    if (text === undefined || !/^(?:MIT|ISC|BSD-[23]-Clause|Apache-2\.0|0BSD)$/.test(license))
      throw new Error(
        `${name} is in the bundle, under ${license}, with ${text?.slice(0, 80) ?? "no text of its licence"}`
      )
    return `${name} ${version} (${license})\n\n${text.trim()}\n`
  })
  return `The files of this folder contain these packages:\n\n${texts.join(`\n${"-".repeat(80)}\n\n`)}`
}

/** Fails where the command would import at run time what its package does not depend on. */
const checkImports = ({ outputs }) => {
  const { dependencies } = JSON.parse(readFileSync(join(server, "package.json"), "utf8"))
  const imported = Object.values(outputs).flatMap(({ imports }) => imports.filter((each) => each.external))
  for (const { path } of imported) {
    const name = /^(?:@[^/]+\/)?[^/]+/.exec(path)[0]
    if (!path.startsWith("node:") && !isBuiltin(path) && !(name in dependencies) && !optional.includes(name))
      throw new Error(`the bundle imports ${path}, which packages/server/package.json does not depend on`)
  }
}

// What is loaded before a command does anything, and what must not be loaded there.
const starts = {
  "packages/server/src/cli/Commands.ts": /core\/src\/(?:evm|facts|checks|analysis\/Engine)|undici|storage-sqlite/,
  "packages/server/src/Deployment.ts": /core\/src\/(?:facts\/code|checks|analysis\/Engine)|httpApiSwagger|@effect\/cli/
}

/** Fails where a start would load what only some commands, or only analyses, need. */
const checkStarts = ({ outputs }) => {
  const ofEntry = (wanted) => Object.keys(outputs).find((file) => outputs[file].entryPoint === wanted)
  for (const [entry, refused] of Object.entries(starts)) {
    const loaded = new Set()
    const visit = (file) => {
      if (loaded.has(file)) return
      loaded.add(file)
      for (const { external, kind, path } of outputs[file].imports)
        if (!external && kind === "import-statement") visit(path)
    }
    for (const each of ["packages/server/src/main.ts", entry]) visit(ofEntry(each))
    const [found] = [...loaded].flatMap((file) =>
      Object.keys(outputs[file].inputs).filter((input) => refused.test(input))
    )
    if (found !== undefined) throw new Error(`the start of ${entry} loads ${found}`)
  }
}

// Which files are in a bundle follows from what is in them, from how this script builds them, and from where packages lie.
const asked = [
  "packages/server/scripts/bundleBin.mjs",
  "scripts/bundle.mjs",
  "tsconfig.base.json",
  "package-lock.json",
  ...["packages", "testing"].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => `${group}/${name}/package.json`)
  )
]

/** The hash of the content of files. */
const hashOf = (files) => {
  const hash = createHash("sha256")
  for (const file of files)
    hash.update(`\0${file}\0`).update(existsSync(join(root, file)) ? readFileSync(join(root, file)) : "absent")
  return hash.digest("hex")
}

/** Whether the bundle that is there was made of what is there now. */
const isCurrent = () => {
  if (!existsSync(record)) return false
  const { files, hash } = JSON.parse(readFileSync(record, "utf8"))
  return hash === hashOf([...asked, ...files])
}

if (process.argv.includes("--stale") && isCurrent()) process.exit(0)

const unfinished = `${target}-${process.pid}`
try {
  const metafile = await write(unfinished)
  checkImports(metafile)
  checkStarts(metafile)
  writeFileSync(join(unfinished, "THIRD-PARTY.txt"), notice(metafile.inputs))
  const files = Object.keys(metafile.inputs).sort()
  writeFileSync(join(unfinished, basename(record)), JSON.stringify({ files, hash: hashOf([...asked, ...files]) }))
  if (process.argv.includes("--metafile")) writeFileSync(join(unfinished, "meta.json"), JSON.stringify(metafile))
  rmSync(target, { recursive: true, force: true })
  renameSync(unfinished, target)
} finally {
  rmSync(unfinished, { recursive: true, force: true })
}

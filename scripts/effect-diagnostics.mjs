// A floating Effect compiles and does nothing; only Effect's language service reports it. It is run here as an editor
// runs it, over one program of all sources: its own command makes a new program for every fifty files.
import { relative } from "node:path"
import plugin from "@effect/language-service"
import ts from "typescript"

const { config, error } = ts.readConfigFile("tsconfig.effects.json", ts.sys.readFile)
if (error !== undefined) throw new Error(ts.flattenDiagnosticMessageText(error.messageText, "\n"))
const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, process.cwd())
const program = ts.createProgram({ rootNames: fileNames, options })

const service = plugin({ typescript: ts }).create({
  languageService: { getProgram: () => program, getSemanticDiagnostics: () => [] },
  project: { log: () => {} },
  config: options.plugins.find(({ name }) => name === "@effect/language-service")
})

const { Error: failure } = ts.DiagnosticCategory
let failures = 0
// Declarations do nothing.
const sources = fileNames.filter((name) => !name.endsWith(".d.ts"))
for (const name of sources) {
  // Of another file the plugin says nothing, as of one without a fault.
  if (program.getSourceFile(name)?.isDeclarationFile !== false) throw new Error(`${name} is not in the program`)
  for (const { category, file, messageText, start } of service.getSemanticDiagnostics(name)) {
    if (category === failure) failures++
    const { character, line } = file.getLineAndCharacterOfPosition(start)
    const place = `${relative("", name)}(${line + 1},${character + 1})`
    console.log(
      `${place}: ${category === failure ? "error" : "hint"}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`
    )
  }
}
console.log(`${sources.length} files, ${failures} errors`)
process.exit(failures > 0 ? 1 : 0)

import { readFileSync } from "node:fs"
import { Ajv } from "ajv"
import { assert, describe, it } from "vitest"

const packageOf = (name: string) => JSON.parse(readFileSync(new URL(`../../../${name}`, import.meta.url), "utf8"))

const entry = packageOf("assay/server.json")
const manifest = packageOf("assay/package.json")

// The registry refuses ranges and "latest". https://semver.org
const version = { type: "string", pattern: "^\\d+\\.\\d+\\.\\d+(-[0-9A-Za-z.-]+)?$" }
const text = (maxLength: number) => ({ type: "string", minLength: 1, maxLength })
const object = (required: ReadonlyArray<string>, properties: object) => ({
  type: "object",
  required,
  properties,
  additionalProperties: false
})

/**
 * What the registry takes of an entry with a package of npm on standard streams. The registry ignores a field that it does
 * not know; here it is refused, since it would be a mistyped one.
 *
 * @see https://github.com/modelcontextprotocol/registry/blob/main/docs/reference/server-json/generic-server-json.md
 * @see https://github.com/modelcontextprotocol/registry/blob/main/docs/reference/server-json/official-registry-requirements.md
 */
const schema = object(["$schema", "name", "description", "version", "packages"], {
  $schema: { const: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json" },
  // A namespace as a domain from its end, which the publisher proves to own, and a name in it.
  name: {
    type: "string",
    maxLength: 200,
    pattern: "^[a-zA-Z0-9-]+(\\.[a-zA-Z0-9-]+)+/[a-zA-Z0-9]([a-zA-Z0-9._-]*[a-zA-Z0-9])?$"
  },
  title: text(100),
  description: text(100),
  version,
  packages: {
    type: "array",
    minItems: 1,
    items: object(["registryType", "identifier", "version", "transport"], {
      registryType: { const: "npm" },
      identifier: text(214),
      version,
      runtimeHint: { const: "npx" },
      transport: object(["type"], { type: { const: "stdio" } }),
      packageArguments: {
        type: "array",
        items: object(["type", "value"], { type: { const: "positional" }, value: text(200) })
      },
      environmentVariables: {
        type: "array",
        items: object(["name"], {
          name: { type: "string", pattern: "^[A-Z][A-Z0-9_]*$" },
          description: text(200),
          placeholder: text(200),
          isRequired: { type: "boolean" },
          isSecret: { type: "boolean" }
        })
      }
    })
  }
})

const isValid = new Ajv({ strict: true }).compile(schema)

describe("the entry in the registry of MCP servers", () => {
  it("is one that the registry takes", () => {
    assert.isTrue(isValid(entry), JSON.stringify(isValid.errors))
    const [npm] = entry.packages
    for (const wrong of [
      { ...entry, name: "assay" },
      { ...entry, name: "assay/assay" },
      { ...entry, description: "x".repeat(101) },
      { ...entry, version: "^1.0.0" },
      { ...entry, website: "https://assay.example" },
      { ...entry, packages: [{ ...npm, version: "latest" }] },
      { ...entry, packages: [{ ...npm, transport: { type: "http" } }] },
      { ...entry, packages: [{ ...npm, packageArguments: [{ type: "positional" }] }] }
    ])
      assert.isFalse(isValid(wrong), JSON.stringify(wrong))
  })

  it("names the package of the command, of its version, which names the entry", () => {
    const [npm, ...others] = entry.packages
    assert.deepStrictEqual(others, [])
    assert.strictEqual(npm.identifier, manifest.name)
    assert.strictEqual(npm.version, manifest.version)
    assert.strictEqual(entry.version, manifest.version)
    // With it the registry is sure that the package is of whoever publishes the entry.
    assert.strictEqual(entry.name, manifest.mcpName)
  })
})

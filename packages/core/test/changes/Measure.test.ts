import { assert, describe, it } from "@effect/vitest"
import { JSONSchema } from "effect"
import * as Measure from "../../src/changes/Measure.js"
import * as Check from "../../src/checks/Check.js"
import * as Checks from "../../src/checks/Checks.js"
import { Quantity } from "../../src/domain/Quantity.js"

interface Json {
  readonly [key: string]: unknown
}

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const quantity = (JSONSchema.make(Quantity) as unknown as Json).pattern

/** The names of the members of a schema that are numbers or quantities (decimal text). */
const numbersIn = (schema: unknown, name: string, definitions: Json): ReadonlyArray<string> => {
  if (Array.isArray(schema)) return schema.flatMap((each) => numbersIn(each, name, definitions))
  if (!isJson(schema)) return []
  if (typeof schema.$ref === "string") {
    const key = schema.$ref.split("/").pop() ?? ""
    return key.includes("Int") ? [name] : numbersIn(definitions[key], name, definitions)
  }
  if (schema.type === "number" || schema.type === "integer" || schema.pattern === quantity) return [name]
  const members = isJson(schema.properties) ? Object.entries(schema.properties) : []
  return [
    ...members.flatMap(([member, of]) => numbersIn(of, member, definitions)),
    ...["items", "anyOf", "oneOf", "allOf"].flatMap((part) => numbersIn(schema[part], name, definitions))
  ]
}

const definitionsOf = (schema: unknown): Json => (isJson(schema) && isJson(schema.$defs) ? schema.$defs : {})

const registry = [...Checks.all, ...Checks.optional]
const rules = registry.map((check: Check.Any) => Check.rule(check))

describe("Measure", () => {
  it("knows every number that a check can say, so that none is compared by accident", () => {
    const missing = rules.flatMap(({ id, value_type }) => {
      return [...new Set(numbersIn(value_type, "", definitionsOf(value_type)))]
        .filter((name) => Measure.find(name) === undefined)
        .map((name) => `${id} ${name}`)
    })
    assert.deepStrictEqual(missing, [])
  })

  it("has a unit in common with every rule that has a tolerance", () => {
    const without = rules.filter(
      ({ tolerance, value_type }) =>
        tolerance !== null &&
        !numbersIn(value_type, "", definitionsOf(value_type)).some(
          (name) => Measure.find(name)?.unit === tolerance.kind
        )
    )
    assert.deepStrictEqual(
      without.map(({ id }) => id),
      []
    )
  })
})

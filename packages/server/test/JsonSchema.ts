/** A schema of JSON Schema 2020-12, with the keywords that the OpenAPI document uses. */
export type JsonSchema = { readonly [keyword: string]: unknown }

type Faults = ReadonlyArray<string>
type Rule = (asked: unknown, value: unknown, schema: JsonSchema, at: string, resolve: Resolve) => Faults
type Resolve = (reference: string) => JsonSchema

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const list = (value: unknown): ReadonlyArray<unknown> => {
  if (!Array.isArray(value)) throw new Error(`not a list: ${JSON.stringify(value)}`)
  return value
}
const schemaOf = (value: unknown): JsonSchema => {
  if (!isObject(value)) throw new Error(`not a schema: ${JSON.stringify(value)}`)
  return value
}
const schemasOf = (value: unknown): ReadonlyArray<readonly [string, JsonSchema]> =>
  Object.entries(schemaOf(value)).map(([name, schema]) => [name, schemaOf(schema)])

const typeOf = (value: unknown): string => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value)

const unless = (holds: boolean, fault: string): Faults => (holds ? [] : [fault])
const none: Rule = () => []
const ofNumber =
  (holds: (value: number, asked: number) => boolean): Rule =>
  (asked, value, _, at) =>
    typeof value !== "number" ? [] : unless(holds(value, Number(asked)), `${at}: ${value} against ${asked}`)
const ofLength =
  (holds: (length: number, asked: number) => boolean): Rule =>
  (asked, value, _, at) => {
    const length = typeof value === "string" ? [...value].length : Array.isArray(value) ? value.length : undefined
    return length === undefined ? [] : unless(holds(length, Number(asked)), `${at}: length ${length} against ${asked}`)
  }

const matches = (pattern: unknown, text: string): boolean => new RegExp(String(pattern), "u").test(text)

const formats = ["date-time", "uri"]

const rules: { readonly [keyword: string]: Rule } = {
  title: none,
  description: none,
  $ref: (asked, value, _, at, resolve) => faults(resolve(String(asked)), value, at, resolve),
  type: (asked, value, _, at) =>
    unless(
      asked === "integer" ? Number.isInteger(value) : typeOf(value) === asked,
      `${at}: ${JSON.stringify(value)} is no ${asked}`
    ),
  enum: (asked, value, _, at) => unless(list(asked).includes(value), `${at}: ${value} is none of ${asked}`),
  anyOf: (asked, value, _, at, resolve) => {
    const tried = list(asked).map((schema) => faults(schemaOf(schema), value, at, resolve))
    return tried.some((found) => found.length === 0) ? [] : [`${at}: none of (${tried.flat().join("; ")})`]
  },
  allOf: (asked, value, _, at, resolve) =>
    list(asked).flatMap((schema) => faults(schemaOf(schema), value, at, resolve)),
  required: (asked, value, _, at) =>
    isObject(value) ? list(asked).flatMap((name) => unless(String(name) in value, `${at}: no ${name}`)) : [],
  properties: (asked, value, _, at, resolve) =>
    schemasOf(asked).flatMap(([name, schema]) =>
      isObject(value) && name in value ? faults(schema, value[name], `${at}/${name}`, resolve) : []
    ),
  patternProperties: (asked, value, _, at, resolve) =>
    schemasOf(asked).flatMap(([pattern, schema]) =>
      Object.entries(isObject(value) ? value : {}).flatMap(([name, member]) =>
        matches(pattern, name) ? faults(schema, member, `${at}/${name}`, resolve) : []
      )
    ),
  propertyNames: (asked, value, _, at, resolve) =>
    Object.keys(isObject(value) ? value : {}).flatMap((name) => faults(schemaOf(asked), name, at, resolve)),
  additionalProperties: (asked, value, schema, at, resolve) =>
    Object.entries(isObject(value) ? value : {}).flatMap(([name, member]) => {
      if (name in schemaOf(schema.properties ?? {})) return []
      if (asked === false) return [`${at}: ${name} is not declared`]
      return asked === true ? [] : faults(schemaOf(asked), member, `${at}/${name}`, resolve)
    }),
  items: (asked, value, _, at, resolve) =>
    Array.isArray(value)
      ? value.flatMap((item, index) => faults(schemaOf(asked), item, `${at}/${index}`, resolve))
      : [],
  pattern: (asked, value, _, at) =>
    typeof value === "string" ? unless(matches(asked, value), `${at}: ${value} against ${asked}`) : [],
  format: (asked, value, _, at) => [
    ...unless(formats.includes(String(asked)), `the format ${asked} is not known`),
    ...(asked === "date-time"
      ? unless(!Number.isNaN(Date.parse(String(value))), `${at}: ${value}`)
      : unless(URL.canParse(String(value)), `${at}: ${value}`))
  ],
  minimum: ofNumber((value, asked) => value >= asked),
  exclusiveMinimum: ofNumber((value, asked) => value > asked),
  maximum: ofNumber((value, asked) => value <= asked),
  minLength: ofLength((length, asked) => length >= asked),
  maxLength: ofLength((length, asked) => length <= asked),
  minItems: ofLength((length, asked) => length >= asked),
  maxItems: ofLength((length, asked) => length <= asked)
}

/** What of a value is not as a schema says; a keyword that is not known throws, as a strict validator does. */
export const faults = (schema: JsonSchema, value: unknown, at: string, resolve: Resolve): Faults =>
  Object.entries(schema).flatMap(([keyword, asked]) => {
    const rule = rules[keyword]
    if (rule === undefined) throw new Error(`${at}: the keyword ${keyword} is not known`)
    return rule(asked, value, schema, at, resolve)
  })

const inOne = ["items", "propertyNames", "additionalProperties"]
const inList = ["anyOf", "allOf"]
const inMap = ["properties", "patternProperties"]

/** What a strict validator does not load of a schema: unknown keywords, ids, types, formats, patterns, references. */
export const unloadable = (schema: JsonSchema, at: string, resolve: Resolve): Faults =>
  Object.entries(schema).flatMap(([keyword, asked]): Faults => {
    if (!(keyword in rules)) return [`${at}: ${keyword}`]
    if (keyword === "pattern") matches(asked, "")
    if (keyword === "format") return unless(formats.includes(String(asked)), `${at}: ${asked}`)
    if (keyword === "$ref") return unless(isObject(resolve(String(asked))), `${at}: ${asked}`)
    if (keyword === "type")
      return unless(
        ["object", "array", "string", "number", "integer", "boolean", "null"].includes(String(asked)),
        `${at}: ${asked}`
      )
    if (inOne.includes(keyword) && typeof asked !== "boolean")
      return unloadable(schemaOf(asked), `${at}/${keyword}`, resolve)
    if (inList.includes(keyword))
      return list(asked).flatMap((one) => unloadable(schemaOf(one), `${at}/${keyword}`, resolve))
    if (inMap.includes(keyword))
      return schemasOf(asked).flatMap(([name, one]) => unloadable(one, `${at}/${name}`, resolve))
    return []
  })

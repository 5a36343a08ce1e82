import { JSONSchema, Schema, SchemaAST } from "effect"
import type { Violation } from "../api/Violation.js"
import * as Excerpt from "../http/representation/Excerpt.js"
import * as Violations from "../http/representation/Violations.js"
import type * as ApiExchange from "./ApiExchange.js"

/**
 * The JSON Schema of an object with members, and nothing else at its root: a client passes the schemas of all tools to the
 * provider of its model, and one that the provider does not take loses it all of them. It holds no reference.
 */
export interface ObjectSchema {
  readonly type: "object"
  readonly properties: { readonly [member: string]: object }
  readonly required: Array<string>
  readonly additionalProperties?: false
}

/** What a call of a tool gave: text, the same as data where the tool has an output schema, and whether it failed. */
export interface Answer {
  readonly texts: ReadonlyArray<string>
  readonly data?: Readonly<Record<string, unknown>> | undefined
  readonly failed?: boolean | undefined
}

/** What a call that takes long says meanwhile. */
export interface Progress {
  readonly done: number
  readonly total: number | undefined
  readonly message: string
}

/**
 * A tool for agents: its input, and the requests of the HTTP API that a call makes. `description` names cost, time and
 * limits in at most 25 words.
 */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: ObjectSchema
  readonly output?: ObjectSchema | undefined
  readonly effect: "reads" | "spends" | "writes" | "deletes"
  /** Refuses arguments that are not of the input schema. */
  readonly call: (input: unknown) => Call
}

/**
 * The API requests of one tool call, and what is made of the responses. `running` is the request that finds the
 * execution a long call waits for.
 */
export type Call =
  | { readonly _tag: "Refused"; readonly violations: ReadonlyArray<Violation> }
  | {
      readonly _tag: "Asks"
      readonly first: ApiExchange.ApiRequest
      readonly running?: ApiExchange.ApiRequest | undefined
      /** The requests that need the response to the first one. */
      readonly follow?: ((first: ApiExchange.ApiResponse) => ReadonlyArray<ApiExchange.ApiRequest>) | undefined
      readonly answer: (responses: ReadonlyArray<ApiExchange.ApiResponse>) => Answer
    }

/** Makes a tool. Its input is decoded before any request. */
export const make = <Fields extends Schema.Struct.Fields>(
  options: Omit<Tool, "input" | "call"> & {
    readonly input: Schema.Struct<Fields> & Schema.Schema.AnyNoContext
    readonly call: (input: Schema.Struct.Type<Fields>) => Omit<Extract<Call, { readonly _tag: "Asks" }>, "_tag">
  }
): Tool => ({
  ...options,
  input: { ...membersOf(JSONSchema.make(options.input), inlined), additionalProperties: false },
  call: (input) => {
    const violations = violationsOf(options.input, input ?? {})
    return violations.length > 0
      ? { _tag: "Refused", violations }
      : { _tag: "Asks", ...options.call(Schema.decodeUnknownSync(options.input)(input ?? {})) }
  }
})

// A struct without members takes everything.
const violationsOf = <Fields extends Schema.Struct.Fields>(
  schema: Schema.Struct<Fields> & Schema.Schema.AnyNoContext,
  input: object
): ReadonlyArray<Violation> =>
  Object.keys(schema.fields).length === 0
    ? Object.keys(input).map((name) => ({
        parameter: Excerpt.of(name),
        code: "unknown_field",
        detail: "This field is unknown.",
        limit: null
      }))
    : Violations.find(schema, input, "parameter")

/**
 * The JSON Schema of a document down to a depth; below it a value may be anything of its JSON type. Lists of tools are read
 * by models, to whom each word costs.
 */
export const shallow = <Fields extends Schema.Struct.Fields>(
  schema: Schema.Struct<Fields>,
  depth: number
): ObjectSchema =>
  membersOf(JSONSchema.make(Schema.make(SchemaAST.encodedAST(schema.ast))), (member, named) =>
    cut(member, named, depth - 1)
  )

/** The node that a node stands for. */
type Named = (node: Node) => Node

const membersOf = (made: object, member: (node: Node, named: Named) => object): ObjectSchema => {
  const whole: Node = made
  const named: Named = (node) =>
    node.$ref === undefined ? node : named(whole.$defs?.[node.$ref.replace("#/$defs/", "")] ?? {})
  const { properties = {}, required = [] } = named(whole)
  return {
    type: "object",
    properties: Object.fromEntries(Object.entries(properties).map(([name, node]) => [name, member(node, named)])),
    required: [...required]
  }
}

const inlined = (node: Node, named: Named): object => {
  const { $ref: _, title: __, ...own } = { ...named(node), ...node }
  return {
    ...own,
    ...(own.items === undefined ? {} : { items: inlined(own.items, named) }),
    ...(own.anyOf === undefined ? {} : { anyOf: own.anyOf.map((part) => inlined(part, named)) }),
    ...(own.properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(own.properties).map(([name, part]) => [name, inlined(part, named)])
          )
        })
  }
}

const cut = (node: Node, named: Named, left: number): object => {
  const { anyOf, enum: values, items, properties, required, type } = named(node)
  if (anyOf !== undefined) return { anyOf: anyOf.map((part) => cut(part, named, left)) }
  const of = type === undefined ? {} : { type }
  if (values !== undefined) return { ...of, enum: values }
  if (type === "object" && properties !== undefined && left > 0)
    return {
      type,
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, part]) => [name, cut(part, named, left - 1)])
      ),
      required: required ?? []
    }
  return type === "array" && left > 0 && items !== undefined ? { type, items: cut(items, named, left - 1) } : of
}

interface Node {
  readonly $ref?: string | undefined
  readonly $defs?: Readonly<Record<string, Node>> | undefined
  readonly title?: string | undefined
  readonly anyOf?: ReadonlyArray<Node> | undefined
  readonly enum?: ReadonlyArray<unknown> | undefined
  readonly type?: unknown
  readonly properties?: Readonly<Record<string, Node>> | undefined
  readonly required?: ReadonlyArray<string> | undefined
  readonly items?: Node | undefined
}

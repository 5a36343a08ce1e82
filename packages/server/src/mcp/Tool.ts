import { JSONSchema, Schema, SchemaAST } from "effect"
import type * as ApiExchange from "./ApiExchange.js"

/**
 * A JSON Schema whose root is an object, as MCP asks for.
 *
 * @since 0.1.0
 * @category models
 */
export type ObjectSchema = { readonly type: "object"; readonly [member: string]: unknown }

/**
 * What a call of a tool gave: text, the same as data where the tool has an output schema, and whether it failed.
 *
 * @since 0.1.0
 * @category models
 */
export interface Answer {
  readonly texts: ReadonlyArray<string>
  readonly data?: Readonly<Record<string, unknown>> | undefined
  readonly failed?: boolean | undefined
}

/**
 * What a call that takes long says meanwhile.
 *
 * @since 0.1.0
 * @category models
 */
export interface Progress {
  readonly done: number
  readonly total: number | undefined
  readonly message: string
}

/**
 * A tool for agents: its input, and the requests of the HTTP API that a call makes. `description` names cost, time and
 * limits in at most 25 words.
 *
 * @since 0.1.0
 * @category models
 */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: ObjectSchema
  readonly output?: ObjectSchema | undefined
  readonly effect: "reads" | "spends" | "writes" | "deletes"
  /** Refuses arguments that are not of the input schema, in words for who made the call. */
  readonly call: (input: unknown) => Call
}

/**
 * What one call of a tool asks the API for, and what is made of the responses. `running` is the request that finds the
 * execution a long call waits for.
 *
 * @since 0.1.0
 * @category models
 */
export type Call =
  | { readonly _tag: "Refused"; readonly detail: string }
  | {
      readonly _tag: "Asks"
      readonly first: ApiExchange.ApiRequest
      readonly running?: ApiExchange.ApiRequest | undefined
      /** The requests that need the response to the first one. */
      readonly follow?: ((first: ApiExchange.ApiResponse) => ReadonlyArray<ApiExchange.ApiRequest>) | undefined
      readonly answer: (responses: ReadonlyArray<ApiExchange.ApiResponse>) => Answer
    }

/**
 * Makes a tool, whose input is decoded before it asks anything.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <A, I>(
  options: Omit<Tool, "input" | "call"> & {
    readonly input: Schema.Schema<A, I>
    readonly call: (input: A) => Omit<Extract<Call, { readonly _tag: "Asks" }>, "_tag">
  }
): Tool => {
  const decode = Schema.decodeUnknownEither(options.input, { onExcessProperty: "error" })
  return {
    ...options,
    input: inputOf(options.input),
    call: (input) => {
      const decoded = decode(input ?? {})
      return decoded._tag === "Left"
        ? { _tag: "Refused", detail: decoded.left.message.replace(/\s+/g, " ").slice(0, 400) }
        : { _tag: "Asks", ...options.call(decoded.right) }
    }
  }
}

const inputOf = <A, I>(schema: Schema.Schema<A, I>): ObjectSchema => {
  const { $schema: _, $defs: __, ...rest } = JSONSchema.make(schema) as unknown as Record<string, unknown>
  return { type: "object", ...rest }
}

/**
 * The JSON Schema of a data type down to a depth; below it a value may be anything of its JSON type. Lists of tools are
 * read by models, to whom each word costs.
 *
 * @since 0.1.0
 * @category constructors
 */
export const shallow = <A, I>(schema: Schema.Schema<A, I>, depth: number): ObjectSchema => {
  const whole = JSONSchema.make(Schema.make(SchemaAST.encodedAST(schema.ast))) as unknown as Node
  const definitions = whole.$defs ?? {}
  const cut = (node: Node, left: number): Node => {
    const named = node.$ref === undefined ? node : (definitions[node.$ref.replace("#/$defs/", "")] ?? {})
    if (named.anyOf !== undefined) return { anyOf: named.anyOf.map((part) => cut(part, left)) }
    if (named.enum !== undefined) return { enum: named.enum }
    if (named.type === "object" && named.properties !== undefined && left > 0)
      return {
        type: "object",
        properties: Object.fromEntries(
          Object.entries(named.properties).map(([name, part]) => [name, cut(part, left - 1)])
        ),
        required: named.required ?? []
      }
    if (named.type === "array" && left > 0 && named.items !== undefined)
      return { type: "array", items: cut(named.items, left - 1) }
    return named.type === undefined ? {} : { type: named.type }
  }
  return { ...cut(whole, depth), type: "object" }
}

interface Node {
  readonly $ref?: string | undefined
  readonly $defs?: Readonly<Record<string, Node>> | undefined
  readonly anyOf?: ReadonlyArray<Node> | undefined
  readonly enum?: ReadonlyArray<unknown> | undefined
  readonly type?: unknown
  readonly properties?: Readonly<Record<string, Node>> | undefined
  readonly required?: ReadonlyArray<string> | undefined
  readonly items?: Node | undefined
}

/** @internal */

import { type Field, fieldOf, unique } from "../../expression/ValueSource.js"
import { isOneOf } from "../../summary/conditions/FieldMask.js"
import type { Write } from "../../summary/conditions/FunctionFlow.js"
import type { StorageFlow } from "../../summary/StorageFlow.js"
import * as TokenBooks from "../../token/TokenBooks.js"
import * as VariableWriter from "../../token/VariableWriter.js"
import * as MintWriter from "./MintWriter.js"

/**
 * A price variable of a function that mints tokens for payment, and a function by which a privileged caller sets it. At
 * a price of zero he can mint any number himself.
 */
export interface MintPrice {
  readonly slot: string
  readonly field: Field | undefined
  readonly setter: VariableWriter.VariableWriter
}

/** The prices at which tokens are made. */
export const of = (flow: StorageFlow, token: TokenBooks.TokenBooks = TokenBooks.of(flow)): ReadonlyArray<MintPrice> =>
  unique(
    MintWriter.of(flow, token)
      .filter((writer) => writer.certain && !writer.privileged)
      .flatMap(({ writes }) => writes)
      .filter(({ change }) => change.amount.some((origin) => origin.kind === "value"))
      .flatMap(({ change }) => change.sources)
      .filter((source) => !source.slot.includes("[") && !isOneOf(TokenBooks.booksOf(token), source.slot, source.mask))
  ).flatMap(({ mask, slot }) => {
    const field = fieldOf(BigInt(mask))
    return VariableWriter.of(flow, token, slot, field)
      .filter(({ privileged, writes }) => privileged && writes.some(isChosen))
      .map((setter): MintPrice => ({ slot, field, setter }))
  })

const isChosen = ({ change, lasts }: Write): boolean =>
  lasts && change.kind === "set" && change.amount.some((origin) => origin.kind === "argument")

/** @internal */

import { Option, Schema } from "effect"
import * as HostileText from "../facts/HostileText.js"
import * as Findings from "./Findings.js"

/** The symbol that a token gives itself, cleaned and cut to `most` characters; none where it was not read or shows nothing. */
export const of = (findings: Findings.Findings, most: number): Option.Option<string> => {
  const item = Findings.inState(findings, "token.metadata-readable", "confirmed")
  return Option.fromNullable(item).pipe(
    Option.flatMap(({ value }) => Schema.decodeUnknownOption(Symbolic)(value)),
    Option.map(({ symbol }) => [...HostileText.clean(symbol)].slice(0, most).join("")),
    Option.filter((shown) => shown !== "")
  )
}

const Symbolic = Schema.Struct({ symbol: Schema.String })

import * as Core from "@assay/core/analysis/Sources"
import * as Etherscan from "@assay/core/chain/sources/Etherscan"
import * as GoPlus from "@assay/core/chain/sources/GoPlus"
import * as OpenChain from "@assay/core/chain/sources/OpenChain"
import * as Sourcify from "@assay/core/chain/sources/Sourcify"
import { Option, Redacted } from "effect"

/**
 * Services outside the chain, none of which is needed: `true` is the public one, a URL one of your own. Each receives the
 * addresses that are analysed. `signatures` has function names.
 */
export interface SourceOptions {
  readonly sourcify?: boolean | string | undefined
  readonly etherscan?: { readonly apiKey: string; readonly url?: string | undefined } | undefined
  readonly signatures?: boolean | string | undefined
  readonly goplus?: boolean | string | undefined
}

/** The sources of the core that an option names. */
export const parse = ({ etherscan, goplus, signatures, sourcify }: SourceOptions): Core.Sources => ({
  ...Core.none,
  sourcify: urlOf(sourcify, Sourcify.publicUrl),
  signatures: urlOf(signatures, OpenChain.publicUrl),
  goplus: urlOf(goplus, GoPlus.publicUrl),
  etherscan: Option.map(Option.fromNullable(etherscan), ({ apiKey, url }) => ({
    key: Redacted.make(apiKey),
    url: url ?? Etherscan.publicUrl
  }))
})

const urlOf = (given: boolean | string | undefined, own: string): Option.Option<string> =>
  given === true ? Option.some(own) : typeof given === "string" ? Option.some(given) : Option.none()

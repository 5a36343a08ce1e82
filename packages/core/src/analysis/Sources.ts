import { Layer, Option, type Redacted } from "effect"
import * as Etherscan from "../chain/sources/Etherscan.js"
import * as FourByte from "../chain/sources/FourByte.js"
import * as GoPlus from "../chain/sources/GoPlus.js"
import * as OpenChain from "../chain/sources/OpenChain.js"
import * as SecondOpinion from "../chain/sources/SecondOpinion.js"
import * as SignatureNames from "../chain/sources/SignatureNames.js"
import * as Sourcify from "../chain/sources/Sourcify.js"
import * as VerifiedSource from "../chain/sources/VerifiedSource.js"
import * as Checks from "../checks/Checks.js"

/**
 * Which services outside the chain are queried, each by its URL; none of them is needed.
 *
 * @since 0.1.0
 * @category models
 */
export interface Sources {
  readonly sourcify: Option.Option<string>
  readonly etherscan: Option.Option<{ readonly key: Redacted.Redacted<string>; readonly url: string }>
  readonly signatures: Option.Option<string>
  readonly fourByte: Option.Option<string>
  readonly goplus: Option.Option<string>
}

/**
 * Only the chain is read.
 *
 * @since 0.1.0
 * @category constructors
 */
export const none: Sources = {
  sourcify: Option.none(),
  etherscan: Option.none(),
  signatures: Option.none(),
  fourByte: Option.none(),
  goplus: Option.none()
}

/**
 * All checks that read only the chain, and those of each source that is configured. Without its source a check does not
 * run; where a configured source fails, its claims are unknown.
 *
 * @since 0.1.0
 * @category combinators
 */
export const checks = (
  sources: Sources
): ReadonlyArray<(typeof Checks.all)[number] | (typeof Checks.optional)[number]> => [
  ...Checks.all,
  ...(registriesOf(sources).length > 0 ? Checks.verifiedSource : []),
  ...(databasesOf(sources).length > 0 ? Checks.signatureNames : []),
  ...(Option.isSome(sources.goplus) ? Checks.secondOpinion : [])
]

/**
 * The services that those checks read.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (sources: Sources) =>
  Layer.mergeAll(
    VerifiedSource.layer(registriesOf(sources)),
    SignatureNames.layer(databasesOf(sources)),
    Option.match(sources.goplus, {
      onNone: () => SecondOpinion.layerDisabled,
      onSome: (url) => GoPlus.layer({ url })
    })
  )

const registriesOf = ({ etherscan, sourcify }: Sources) => [
  ...Option.toArray(Option.map(sourcify, (url) => Sourcify.make({ url }))),
  ...Option.toArray(Option.map(etherscan, Etherscan.make))
]

// The database that takes all selectors at once comes first, so that the other one gets few.
const databasesOf = ({ fourByte, signatures }: Sources) => [
  ...Option.toArray(Option.map(signatures, (url) => OpenChain.make({ url }))),
  ...Option.toArray(Option.map(fourByte, (url) => FourByte.make({ url })))
]

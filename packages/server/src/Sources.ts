import { Checks } from "@assay/core"
import * as Etherscan from "@assay/core/chain/Etherscan"
import * as FourByte from "@assay/core/chain/FourByte"
import * as GoPlus from "@assay/core/chain/GoPlus"
import * as OpenChain from "@assay/core/chain/OpenChain"
import * as SecondOpinion from "@assay/core/chain/SecondOpinion"
import * as SignatureNames from "@assay/core/chain/SignatureNames"
import * as Sourcify from "@assay/core/chain/Sourcify"
import * as VerifiedSource from "@assay/core/chain/VerifiedSource"
import { Layer, Option } from "effect"
import type { Sources } from "./ServerConfig.js"

/**
 * The checks that this server runs: all that read the chain alone, and those of each source that is configured. A source
 * that is not configured is not covered; one that is and fails makes its claims unknown.
 *
 * @since 0.1.0
 * @category combinators
 */
export const checks = (sources: Sources) => [
  ...Checks.all,
  ...(registriesOf(sources).length > 0 ? Checks.verifiedSource : []),
  ...(databasesOf(sources).length > 0 ? Checks.signatureNames : []),
  ...(Option.isSome(sources.goplus) ? Checks.secondOpinion : [])
]

/**
 * What those checks ask.
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

/**
 * The names of the sources that are configured, for the log.
 *
 * @since 0.1.0
 * @category combinators
 */
export const names = ({ etherscan, fourByte, goplus, signatures, sourcify }: Sources): ReadonlyArray<string> =>
  Object.entries({
    Sourcify: sourcify,
    Etherscan: etherscan,
    "signature database": signatures,
    "4byte.directory": fourByte,
    GoPlus: goplus
  }).flatMap(([name, configured]) => (Option.isSome<unknown>(configured) ? [name] : []))

const registriesOf = ({ etherscan, sourcify }: Sources) => [
  ...Option.toArray(Option.map(sourcify, (url) => Sourcify.make({ url }))),
  ...Option.toArray(Option.map(etherscan, Etherscan.make))
]

// The one that takes all selectors at once is asked first, so that the other is asked for few.
const databasesOf = ({ fourByte, signatures }: Sources) => [
  ...Option.toArray(Option.map(signatures, (url) => OpenChain.make({ url }))),
  ...Option.toArray(Option.map(fourByte, (url) => FourByte.make({ url })))
]

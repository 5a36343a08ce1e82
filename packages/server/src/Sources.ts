import { Checks } from "@assay/core"
import * as Etherscan from "@assay/core/chain/Etherscan"
import * as GoPlus from "@assay/core/chain/GoPlus"
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
  ...(Option.isSome(sources.signatures) ? Checks.signatureNames : []),
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
    Option.match(sources.signatures, {
      onNone: () => SignatureNames.layerDisabled,
      onSome: (url) => SignatureNames.layer({ url })
    }),
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
export const names = ({ etherscan, goplus, signatures, sourcify }: Sources): ReadonlyArray<string> =>
  Object.entries({
    Sourcify: sourcify,
    Etherscan: etherscan,
    "signature database": signatures,
    GoPlus: goplus
  }).flatMap(([name, configured]) => (Option.isSome<unknown>(configured) ? [name] : []))

const registriesOf = ({ etherscan, sourcify }: Sources) => [
  ...Option.toArray(Option.map(sourcify, (url) => Sourcify.make({ url }))),
  ...Option.toArray(Option.map(etherscan, Etherscan.make))
]

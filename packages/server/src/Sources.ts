import * as Etherscan from "@assay/core/chain/sources/Etherscan"
import * as FourByte from "@assay/core/chain/sources/FourByte"
import * as GoPlus from "@assay/core/chain/sources/GoPlus"
import * as OpenChain from "@assay/core/chain/sources/OpenChain"
import * as SecondOpinion from "@assay/core/chain/sources/SecondOpinion"
import * as SignatureNames from "@assay/core/chain/sources/SignatureNames"
import * as Sourcify from "@assay/core/chain/sources/Sourcify"
import * as VerifiedSource from "@assay/core/chain/sources/VerifiedSource"
import * as Checks from "@assay/core/checks/Checks"
import { Layer, Option } from "effect"
import type { Sources } from "./ServerConfig.js"

/**
 * The checks that this server runs: all checks that read only the chain, and the checks of each configured source.
 * Without its source a check does not run; where a configured source fails, its claims are unknown.
 */
export const checks = (
  sources: Sources
): ReadonlyArray<(typeof Checks.all)[number] | (typeof Checks.optional)[number]> => [
  ...Checks.all,
  ...(registriesOf(sources).length > 0 ? Checks.verifiedSource : []),
  ...(databasesOf(sources).length > 0 ? Checks.signatureNames : []),
  ...(Option.isSome(sources.goplus) ? Checks.secondOpinion : [])
]

/** The services that those checks use. */
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

import type { Sources } from "@assay/core/analysis/Sources"
import { Option } from "effect"

/** The names of the configured sources, for the log. */
export const of = ({ etherscan, fourByte, goplus, signatures, sourcify }: Sources): ReadonlyArray<string> =>
  Object.entries({
    Sourcify: sourcify,
    Etherscan: etherscan,
    "signature database": signatures,
    "4byte.directory": fourByte,
    GoPlus: goplus
  }).flatMap(([name, configured]) => (Option.isSome<unknown>(configured) ? [name] : []))

import { Chains } from "@assay/core"
import { Option } from "effect"

/** The sandbox's chain as an analysis reads it: by the address book of mainnet, at its own node or at a proxy before it. */
export const sandboxChain = (sandbox, url = sandbox.url) =>
  Chains.make({ id: sandbox.chainId, name: "sandbox", endpoints: [url], addressBook: 1, explorer: Option.none() })

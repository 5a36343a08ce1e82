import { parseEther } from "viem/utils"
import * as Artifact from "./Artifact.js"
import { yes } from "./Claim.js"
import { type Launch, type Placed, supply } from "./Launch.js"
import { sellable } from "./Specimens.js"

/** Tokens that stand for something which they hold: another token, one of many, or ether. */
export const write = ({ stage, call, clean, deploy, open, place }: Launch) => {
  const { script, accounts, approve } = stage
  const { deployer, maker } = accounts

  const asset = place("PlainToken", "Clover", "CLVR")
  const share: Placed = {
    contract: Artifact.own("ShareToken"),
    address: deploy(Artifact.own("ShareToken"), "Clover Share", "CLVS", asset.address)
  }
  approve(deployer, asset.address, share.address, supply)
  call(share, { from: deployer, name: "deposit", args: [supply, deployer] })

  const underlying = place("PlainToken", "Vetch", "VTCH")
  const wrapped: Placed = {
    contract: Artifact.own("WrappedToken"),
    address: deploy(Artifact.own("WrappedToken"), "Wrapped Vetch", "WVTC", underlying.address)
  }
  approve(deployer, underlying.address, wrapped.address, supply)
  call(wrapped, { from: deployer, name: "depositFor", args: [deployer, supply] })

  const many: Placed = {
    contract: Artifact.own("ManyTokens"),
    address: deploy(Artifact.own("ManyTokens"), 7n, supply, deployer)
  }
  const facade: Placed = {
    contract: Artifact.own("FacadeToken"),
    address: deploy(Artifact.own("FacadeToken"), "Sainfoin", "SNFN", many.address, 7n)
  }
  call(many, { from: deployer, name: "setOperator", args: [facade.address, true] })
  call(facade, { from: deployer, name: "deposit", args: [supply] })

  const honest = {
    share: open(share, "shares of a vault of a plain token (EIP-4626)", {
      ...sellable,
      "token.standard": yes("it behaves as an ERC-4626", { standard: "erc4626" })
    }),
    wrapped: open(wrapped, "a plain token wrapped one for one", sellable),
    facade: clean(facade, "one of many tokens (EIP-6909) as an ERC-20"),
    floor: clean(place("FloorToken", "Eyebright", "EYBR"), "who burns gets his part of the ether that it holds")
  }
  script.send({ label: "fund a floor", from: maker, to: honest.floor.address, value: parseEther("50") })
  return { honest }
}

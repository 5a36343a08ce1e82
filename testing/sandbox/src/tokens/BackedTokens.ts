import { parseEther } from "viem/utils"
import { yes } from "../truth/Claim.js"
import type { Launch } from "./Launch.js"
import { sellable, supply } from "./Specimens.js"

/** Tokens that stand for something which they hold: another token, one of many, or ether. */
export const write = ({ stage, call, clean, open, own, place }: Launch) => {
  const { script, accounts, approve } = stage
  const { deployer, maker } = accounts

  const asset = place("PlainToken", "Clover", "CLVR")
  const share = own("ShareToken", "Clover Share", "CLVS", asset.address)
  approve(deployer, asset.address, share.address, supply)
  call(share, { from: deployer, name: "deposit", args: [supply, deployer] })

  const underlying = place("PlainToken", "Vetch", "VTCH")
  const wrapped = own("WrappedToken", "Wrapped Vetch", "WVTC", underlying.address)
  approve(deployer, underlying.address, wrapped.address, supply)
  call(wrapped, { from: deployer, name: "depositFor", args: [deployer, supply] })

  const many = own("ManyTokens", 7n, supply, deployer)
  const facade = own("FacadeToken", "Sainfoin", "SNFN", many.address, 7n)
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

import { encodeFunctionData, toFunctionSelector } from "viem/utils"
import { keyless } from "../chain/Account.js"
import * as Artifact from "../chain/Artifact.js"
import { yes } from "../truth/Claim.js"
import type { Launch, Placed } from "./Launch.js"
import { supply } from "./Specimens.js"

const day = 86_400n
// Nobody has its key.
const successor = keyless("assay sandbox: successor")

/** Tokens with their code elsewhere: behind a table of facets, a minimal proxy, and a proxy that can be upgraded. */
export const write = ({ stage, call, deploy, open, place, renounce }: Launch) => {
  const { deployer, issuer } = stage.accounts

  const books = Artifact.own("BooksFacet")
  const facets = place(
    "FacetToken",
    "Teasel",
    "TSEL",
    issuer,
    deploy(books),
    books.abi.flatMap((item) => (item.type === "function" && item.name !== "open" ? [toFunctionSelector(item)] : []))
  )

  const queued = Artifact.own("QueuedUpgradeToken")
  const queuedUpgrade: Placed = {
    contract: queued,
    address: deploy(
      Artifact.openZeppelin("ERC1967Proxy"),
      deploy(queued),
      encodeFunctionData({
        abi: queued.abi,
        functionName: "initialize",
        args: ["Campion", "CMPN", supply, issuer, deployer]
      })
    )
  }

  const door = Artifact.own("DoorLogic")
  const doorClone: Placed = {
    contract: door,
    address: deploy(Artifact.clone(deploy(door)))
  }
  call(doorClone, { from: deployer, name: "initialize", args: ["Loosestrife", "LSTF", supply, deployer, issuer] })

  const trap = {
    doorClone: open(
      doorClone,
      "a minimal proxy whose logic closed sales a minute after its launch",
      { "trade.honeypot": yes("only who was let in can sell") },
      (pair) => [{ from: issuer, name: "enter", args: [pair, issuer, 1n] }]
    )
  }
  const power = {
    facets: open(facets, "a token in facets that it does not show, which one address changes", {
      "proxy.upgradeable": yes("one address puts other code behind each function")
    }),
    queuedUpgrade: open(
      queuedUpgrade,
      "renounced, and a change of its code that was queued before awaits its time",
      { "proxy.upgradeable": yes("within a hundred days anybody carries it out") },
      () => [{ from: issuer, name: "queue", args: [successor, 100n * day] }, renounce]
    )
  }
  return { trap, power }
}

import { Effect } from "effect"
import * as Document from "../../domain/facts/ContractOrigin.js"
import * as Facts from "../../facts/code/Provenance.js"
import * as Check from "../Check.js"

/**
 * A-06: when the contract was created and by whom. The evidence is the receipt of the transaction of its first event,
 * if that transaction created it; else the code before that event, which needs an archive endpoint; else the event
 * alone, which is no older than the contract. For a contract created by a factory, the deployer is the transaction's
 * sender.
 */
export const provenance = Check.make({
  id: "contract.provenance",
  code: "A-06",
  version: 1,
  targets: ["contract", "token"],
  claim: "The block in which the contract was created is known",
  polarity: "neutral",
  severity: "info",
  dimension: "identity",
  value: Document.ContractOrigin,
  run: (target) =>
    Effect.gen(function* () {
      const facts = yield* Facts.Provenance
      const { observation, value } = yield* facts.of(target.address)
      const { after_block, by_block, deployer } = value
      const when =
        after_block === null
          ? `in block ${by_block} or before`
          : after_block === by_block - 1
            ? `in block ${by_block}`
            : `after block ${after_block} and no later than block ${by_block}`
      return [
        Check.confirmed({
          value,
          detail: `created ${when}${deployer === null ? "" : ` by ${deployer}`}`,
          observation: observation()
        })
      ]
    })
})

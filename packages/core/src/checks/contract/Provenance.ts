import { Effect } from "effect"
import * as Document from "../../domain/facts/ContractOrigin.js"
import * as Facts from "../../facts/code/Provenance.js"
import * as Check from "../Check.js"

/**
 * A-06: since when the contract stands there and who put it there. The receipt of the transaction of its first event
 * says so where that transaction created it; else the code before that event does, which needs an endpoint that keeps
 * old state; else the event alone, which is no older than the contract. The deployer of what another contract created
 * is whoever signed.
 *
 * @since 0.1.0
 * @category models
 */
export const provenance = Check.make({
  id: "contract.provenance",
  code: "A-06",
  version: 1,
  targets: ["contract", "token"],
  claim: "It was found out since when the contract stands there",
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
          ? `at block ${by_block} at the latest`
          : after_block === by_block - 1
            ? `in block ${by_block}`
            : `after block ${after_block}, at block ${by_block} at the latest`
      return [
        Check.confirmed({
          value,
          detail: `created ${when}${deployer === null ? "" : ` by ${deployer}`}`,
          observation: observation()
        })
      ]
    })
})

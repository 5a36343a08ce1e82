import { Array as Arrays, Schema } from "effect"
import { Address } from "../../../domain/Address.js"
import * as Check from "../../Check.js"
import * as PoolLocks from "./PoolLocks.js"

/**
 * L-07, one item per emptied pair: whether insiders provided the liquidity of a Uniswap V2 pair and withdrew it. A pair
 * that has only the 1,000 units of its LP token left that it locks at its first deposit had liquidity, and whoever had it
 * withdrew all of it. Confirmed where insiders got at least half of all LP tokens when they were issued, or sent in at
 * least half of those that were redeemed. Unknown where others did, who may act for insiders, and where events are
 * missing. It does not apply while another pool of the token has liquidity, or none was emptied.
 */
export const liquidityWithdrawn = Check.make({
  id: "liquidity.withdrawn",
  code: "L-07",
  version: 1,
  targets: ["token"],
  claim: "Insiders withdrew the liquidity of the token",
  polarity: "risk",
  severity: "critical",
  dimension: "exit",
  value: Schema.Struct({ withdrawn_bps: Schema.NonNegativeInt, quote: Address }),
  run: (target) =>
    PoolLocks.judged(target.address, ({ observation, value: pools }) => {
      const [others, emptied] = Arrays.partition(pools, ({ withdrawn }) => withdrawn !== null)
      // What other pools hold decides, and an emptied pair holds nothing beside it.
      if (others.length > 0) return Check.notApplicable
      return emptied.map(({ insidersGap, pool, withdrawn }) => {
        const share = withdrawn ?? 0
        const common = { subject: [pool.address], observation: observation(), at: pool.address }
        const detail = `all liquidity of the ${pool.exchange} ${pool.quote_symbol} pair was withdrawn, at least ${share / 100} % of it by insiders`
        return share >= 5_000 && insidersGap === null
          ? Check.confirmed({ ...common, detail, value: { withdrawn_bps: share, quote: pool.quote } })
          : Check.unknown(
              insidersGap ?? "inconclusive",
              `${detail}; the rest may have been withdrawn for insiders`,
              common
            )
      })
    })
})

import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Custody from "../../../../src/evm/powers/custody/Custody.js"
import * as CustodyDrain from "../../../../src/evm/powers/custody/CustodyDrain.js"
import * as StorageFlow from "../../../../src/evm/summary/StorageFlow.js"
import { contracts, describeCompiled } from "../../Compiled.js"

/** What a privileged account can do with deposits of others: `?` where the code leaves a doubt. */
const expected: Record<string, ReadonlyArray<string>> = {
  Pool: [],
  Swept: ["moves rescue"],
  OwnSwept: ["moves skim"],
  SweptByAnybody: [],
  Let: ["moves lend"],
  Sparing: [],
  SparingAnother: ["moves rescue"],
  SparingSome: ["moves rescue?"],
  Surplus: [],
  Booked: [],
  Refunding: [],
  Sharing: [],
  Funded: [],
  Migrating: ["appoints setMigrator"],
  Replaced: ["replaces setToken"],
  SetOnce: [],
  Pools: [],
  ReplacedPools: ["replaces set"],
  SparingPools: [],
  SparingForAWhile: ["moves rescue"],
  Bank: [],
  DrainedBank: ["moves drain"],
  Library_: ["moves rescue"],
  Encoded: ["moves rescue"],
  Commanded: ["moves command?"],
  Charging: ["spends charge"],
  ChargingOnOrder: ["spends charge?"],
  Staked: [],
  DrainedStakes: ["moves drain"],
  Shop: [],
  DrainedShop: ["moves collect"],
  PricedShop: ["prices setPrice"],
  TollPool: [],
  TolledPool: ["prices setToll"],
  CappedTollPool: ["prices setToll?"],
  BuyBack: ["prices setPrices"],
  Shares: [],
  SweptShares: ["moves rescue"],
  SparingShares: [],
  EarningShares: ["appoints setKeeper?"],
  Secrets: [],
  DrainedSecrets: ["moves drain"],
  Parcels: [],
  DrainedParcels: ["moves drain"],
  Humans: [],
  DrainedHumans: ["moves drain"],
  ChangeGiving: ["moves ping?"]
}

/** What keeps nothing for others. */
const others = ["ClosedShop", "OwnersShop", "PassingShop", "Orders", "Spending", "Spread"]

describeCompiled("CustodyDrain", (pipeline) => {
  const contract = contracts(pipeline, "Deposits.sol")

  for (const [name, takings] of Object.entries(expected)) {
    it.effect(`finds who takes the deposits of ${name}: ${takings.join(", ") || "nobody"}`, () =>
      Effect.gen(function* () {
        const { code, names } = contract(name)
        const flow = yield* StorageFlow.analyse(code)
        assert.isAbove(Custody.of(flow).length, 0)
        assert.deepStrictEqual(
          CustodyDrain.of(flow).map(
            ({ certain, kind, selector }) =>
              `${kind} ${selector === "fallback" ? selector : names.get(selector)}${certain ? "" : "?"}`
          ),
          takings
        )
      })
    )
  }

  for (const name of others) {
    it.effect(`does not take what ${name} has for what others put in`, () =>
      Effect.gen(function* () {
        const flow = yield* StorageFlow.analyse(contract(name).code)
        assert.deepStrictEqual(Custody.of(flow), [])
        assert.deepStrictEqual(CustodyDrain.of(flow), [])
      })
    )
  }
})

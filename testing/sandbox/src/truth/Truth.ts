import { encodeFunctionData } from "viem/utils"
import type { Accounts } from "../chain/Account.js"
import type { Name, World } from "../Targets.js"
import * as TruthOfControl from "./TruthOfControl.js"
import * as TruthOfIdentity from "./TruthOfIdentity.js"
import * as TruthOfMarket from "./TruthOfMarket.js"
import * as TruthOfPowers from "./TruthOfPowers.js"
import * as TruthOfWallets from "./TruthOfWallets.js"
import * as TruthScene from "./TruthScene.js"

export type { Truth } from "./TruthScene.js"

/** The truth of everything that `Targets.write` put on the chain. */
export const make = (world: World, accounts: Accounts): ReadonlyArray<TruthScene.Truth> => {
  const scene = TruthScene.make(world, accounts)
  return [TruthOfIdentity, TruthOfControl, TruthOfPowers, TruthOfMarket, TruthOfWallets]
    .flatMap(({ of }) => of(scene))
    .concat(claimed(world))
}

/** What was said of targets where they were put on the chain. */
const claimed = ({ made, targets }: World): ReadonlyArray<TruthScene.Truth> =>
  Object.entries(made).flatMap(([name, { claims, contract }]) => {
    const { kind, pair } = targets[name as Name]
    return Object.entries(claims).map(
      ([id, { because, deed, state, value }]): TruthScene.Truth => ({
        target: name as Name,
        kind,
        evidence: id.replace(/:pair$/, `:${pair}`),
        state,
        value,
        because,
        deed:
          deed === undefined
            ? undefined
            : {
                by: deed.by,
                data: encodeFunctionData({ abi: contract?.abi ?? [], functionName: deed.name, args: [...deed.args] })
              }
      })
    )
  })

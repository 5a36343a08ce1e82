import type { Stage } from "../Stage.js"
import * as AccountLists from "./AccountLists.js"
import * as BackedTokens from "./BackedTokens.js"
import * as CircumstanceTraps from "./CircumstanceTraps.js"
import * as ElasticTokens from "./ElasticTokens.js"
import * as FixedRules from "./FixedRules.js"
import * as HiddenLevers from "./HiddenLevers.js"
import * as HookedTokens from "./HookedTokens.js"
import * as IndirectPowers from "./IndirectPowers.js"
import * as Launch from "./Launch.js"
import * as LeanTokens from "./LeanTokens.js"
import * as ObfuscatedTokens from "./ObfuscatedTokens.js"
import * as PoolDeceptions from "./PoolDeceptions.js"
import * as ProxiedTokens from "./ProxiedTokens.js"
import * as TokenExtensions from "./TokenExtensions.js"

/** Puts all tokens on the chain that `Launch` brings to market, by their group. */
export const write = (stage: Stage) => {
  const launch = Launch.make(stage)
  const circumstances = CircumstanceTraps.write(launch)
  const lists = AccountLists.write(launch)
  const deceptions = PoolDeceptions.write(launch)
  const obfuscated = ObfuscatedTokens.write(launch)
  const proxied = ProxiedTokens.write(launch)
  const indirect = IndirectPowers.write(launch)
  const elastic = ElasticTokens.write(launch)
  const lean = LeanTokens.write(launch)
  const backed = BackedTokens.write(launch)
  const extended = TokenExtensions.write(launch)
  const fixed = FixedRules.write(launch)
  const hidden = HiddenLevers.write(launch)
  const hooked = HookedTokens.write(launch)
  stage.script.seal()

  return {
    trap: { ...circumstances.trap, ...lists.trap, ...deceptions.trap, ...obfuscated.trap, ...proxied.trap },
    power: {
      ...obfuscated.power,
      ...proxied.power,
      ...indirect.power,
      ...elastic.power,
      ...hidden.power,
      ...hooked.power
    },
    honest: {
      ...indirect.honest,
      ...elastic.honest,
      ...lean.honest,
      ...backed.honest,
      ...extended.honest,
      ...fixed.honest,
      ...hidden.honest,
      ...hooked.honest
    }
  }
}

type Groups = ReturnType<typeof write>

/** The name of a target that was launched. */
export type Name = keyof Groups["trap"] | keyof Groups["power"] | keyof Groups["honest"]

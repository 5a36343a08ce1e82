import { Account } from "@assay/sandbox"
import type { Hex } from "viem"
import * as Compiler from "./Compiler.js"
import type { Composition } from "./Composition.js"
import * as Deed from "./Deed.js"
import type { Ground } from "./Ground.js"
import * as Judge from "./Judge.js"
import { list } from "./Market.js"
import * as Oracle from "./Oracle.js"
import * as Places from "./Places.js"
import type { Product, Said } from "./Product.js"
import * as Source from "./Source.js"

/** One composition: what was said of it and of its twin, what was seen, and the judgement. */
export interface Trial {
  readonly composition: Composition
  readonly said: { readonly trap: Said; readonly twin: Said }
  readonly truth: { readonly trap: Oracle.Truth; readonly twin: Oracle.Truth }
  readonly judgement: Judge.Judgement
}

/** What the contracts of a composition are compiled from. */
export const inputOf = (c: Composition): Compiler.Input => ({
  text: `${Source.write(c, "trap").text}\n${Source.write(c, "twin").text}`,
  build: c.build
})

/** The composition of which nothing is left but its books: what every other is compared with. */
export const base: Composition = {
  seed: 0,
  books: "plain",
  entry: "move",
  effect: "refuse",
  sender: "any",
  receiver: "any",
  caller: "any",
  origin: "any",
  amount: "any",
  wealth: "any",
  condition: "window",
  store: "variable",
  lever: "none",
  exemption: "nobody",
  form: "branch",
  order: "gatesFirst",
  title: "plain",
  voice: "loud",
  state: "live",
  twin: "absent",
  build: "optimized",
  venues: "known"
}

interface Met {
  readonly said: Said
  readonly truth: Oracle.Truth
}

/** Brings tokens of a composition to market, has them analysed at that block, and then does what they can do. */
const meet = async (
  ground: Ground,
  product: Product,
  composition: Composition,
  roles: ReadonlyArray<Source.Role>
): Promise<ReadonlyArray<Met>> => {
  const compiled = compiledOf(composition)
  const isKeyless =
    composition.twin === "gone" &&
    composition.state !== "once" &&
    composition.lever !== "role" &&
    !(composition.lever === "owner" && composition.state === "live")
  const first = Deed.founding(composition, ground, compiled)
  if (first.length > 0) await ground.mine(first)
  const tokens = await list(
    ground,
    roles.map((role) => ({
      creation: compiled[Source.write(composition, role).contract] as Hex,
      key: role === "twin" && isKeyless ? Account.burnt : Deed.keyOf(composition, ground, compiled)
    })),
    Places.start.timestamp
  )
  const scenes = tokens.map((listed, i): Deed.Scene => {
    return { composition, ground, listed, compiled, role: roles[i] as Source.Role }
  })
  const launches = (await Promise.all(scenes.map(Deed.launch))).flat()
  if (launches.length > 0) await ground.mine(launches)
  const { number } = await ground.head()
  const said = await product.analyse({
    url: ground.url,
    block: number,
    tokens: tokens.map(({ token }) => token),
    addressBook: composition.venues === "known" ? 1 : 31_337
  })
  const met: Array<Met> = []
  for (const [i, scene] of scenes.entries())
    met.push({
      said: said[i] as Said,
      truth: await (scene.role === "trap" ? Oracle.prove(scene) : Oracle.disprove(scene))
    })
  return met
}

const compiledOf = (composition: Composition): Compiler.Compiled => {
  const [compiled] = Compiler.compile([inputOf(composition)])
  return compiled ?? {}
}

/** Tries a composition and its twin. The chain is left as it was found. */
export const run = (ground: Ground, product: Product, composition: Composition): Promise<Trial> =>
  ground.undone(async () => {
    const [trap, twin] = (await meet(ground, product, composition, ["trap", "twin"])) as [Met, Met]
    return {
      composition,
      said: { trap: trap.said, twin: twin.said },
      truth: { trap: trap.truth, twin: twin.truth },
      judgement: Judge.judge(composition, trap, twin)
    }
  })

/** The same of the trap alone: why it is false safety, and what was done. Nothing where it is not. */
export const falseSafety = (
  ground: Ground,
  product: Product,
  composition: Composition
): Promise<{ readonly reasons: ReadonlyArray<string>; readonly log: ReadonlyArray<string>; readonly said: Said }> =>
  ground.undone(async () => {
    const [{ said, truth }] = (await meet(ground, product, composition, ["trap"])) as [Met]
    return {
      reasons: truth.rows.flatMap((row) => Judge.falseSafety(row, said, composition.state)),
      log: truth.log,
      said
    }
  })

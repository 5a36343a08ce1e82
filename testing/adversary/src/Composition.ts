import * as Dice from "./Dice.js"

/** The parts that a token is composed of, by dimension. The first of each is the one that a shrunk token has. */
export const grammar = {
  /** How balances are kept. */
  books: ["plain", "named", "hashed", "packed", "checkpoints", "shares", "negated", "split", "ids", "epochs"],
  /** Where the token does it. `move` is what `transfer` and `transferFrom` have in common. */
  entry: ["move", "transfer", "transferFrom", "approve", "balanceOf", "lever"],
  /** What it does. */
  effect: [
    "refuse",
    "take",
    "elsewhere",
    "showLess",
    "spin",
    "returnFalse",
    "onTop",
    "cap",
    "mint",
    "seize",
    "grant",
    "bypass",
    "rebaseUp",
    "rebaseDown",
    "wipe",
    "drain",
    "impersonate",
    "vouch",
    "given",
    "rename",
    "forget",
    "hidden",
    "also",
    "trail",
    "overdraw",
    "twice",
    "swapped",
    "batch"
  ],
  /** To which calls, one of those that a dimension of a call can have. */
  sender: ["any", "account", "notPool", "known"],
  receiver: ["any", "pool", "code", "pair"],
  caller: ["any", "other", "router"],
  origin: ["any", "sender", "notKey"],
  amount: ["any", "aboveDust", "odd"],
  wealth: ["any", "coin"],
  /** When. Those up to `clock` are written by a lever. */
  condition: [
    "flag",
    "list",
    "nonce",
    "limit",
    "fee",
    "hash",
    "digest",
    "root",
    "frozen",
    "target",
    "clock",
    "none",
    "window",
    "period",
    "blocks",
    "donation",
    "holding",
    "coin",
    "price",
    "gasPrice",
    "baseFee",
    "born",
    "dusted",
    "count",
    "gift",
    "age"
  ],
  /** Where what a lever writes is kept. */
  store: [
    "variable",
    "slot",
    "bits",
    "transient",
    "answer",
    "allowance",
    "array",
    "text",
    "bitmap",
    "code",
    "clone",
    "pointer",
    "jump",
    "keyed"
  ],
  /** How it is written, or how what a lever does is done. */
  lever: [
    "immutable",
    "owner",
    "role",
    "hiddenRole",
    "signature",
    "increaseAllowance",
    "decreaseAllowance",
    "approve",
    "permit",
    "transfer",
    "calldata",
    "fallback",
    "module",
    "anyModule",
    "receive",
    "buy",
    "pull",
    "multicall",
    "execute",
    "password",
    "guardian",
    "hashed",
    "origin",
    "regain",
    "initialize",
    "poke",
    "overrun",
    "agent",
    "anyone",
    "none"
  ],
  /** Whom it spares. */
  exemption: ["nobody", "key", "contracts", "pool"],
  /** How the code says so. */
  form: ["branch", "require", "arithmetic", "wrap", "assembly", "self"],
  /** In which order its conditions stand. */
  order: ["gatesFirst", "gatesLast"],
  /** What the lever is called. */
  title: ["plain", "honest"],
  /** Whether minting and taking say so in an event and in the supply. */
  voice: ["loud", "quiet"],
  /** Who holds the lever, and how often it moves. `renounced`: the token had an owner, who is not who holds it. */
  state: ["live", "once", "timelock", "born", "renounced", "fake"],
  /** What the twin lacks: the part, or a key that can use it. */
  twin: ["absent", "gone"],
  /** How the compiler is run. */
  build: ["optimized", "unoptimized", "ir"],
  /** Whether the product knows the exchanges of the chain. */
  venues: ["known", "unknown"]
} as const satisfies Readonly<Record<string, readonly [string, ...ReadonlyArray<string>]>>

/** The name of a dimension. */
export type Dimension = keyof typeof grammar

/** One part of each dimension. */
export type Composition = { readonly [D in Dimension]: (typeof grammar)[D][number] } & { readonly seed: number }

/** All dimensions, in the order of the grammar. */
export const dimensions = Object.keys(grammar) as ReadonlyArray<Dimension>

const only = (value: string, ...allowed: ReadonlyArray<string>): boolean => allowed.includes(value)

/** Conditions that a lever writes. */
export const stored: ReadonlySet<string> = new Set([
  "flag",
  "list",
  "nonce",
  "limit",
  "fee",
  "hash",
  "digest",
  "root",
  "frozen",
  "target",
  "clock"
])

/** Conditions of one account each. */
export const listed: ReadonlySet<string> = new Set(["list", "nonce", "frozen"])

/** Of these, the ones with a store of their own choice. */
export const perAccount: ReadonlySet<string> = new Set(["list", "frozen"])

/** Conditions of the sender, which nothing but a transfer or an approval has. */
const ofSender: ReadonlySet<string> = new Set(["dusted", "gift", "age"])

/** Conditions that come about without a call to anybody. */
export const timely: ReadonlySet<string> = new Set(["window", "period", "blocks", "gasPrice", "baseFee", "age"])

/** What the lever itself does, instead of what transfers do. */
export const taking: ReadonlySet<string> = new Set([
  "mint",
  "seize",
  "grant",
  "bypass",
  "rebaseUp",
  "rebaseDown",
  "wipe",
  "drain",
  "impersonate",
  "vouch",
  "given",
  "rename",
  "forget",
  "hidden",
  "also",
  "trail",
  "overdraw",
  "twice",
  "swapped",
  "batch"
])

/** What the key can do that no function of its own does: it stands in those of the standard. */
export const standing: ReadonlySet<string> = new Set([
  "bypass",
  "impersonate",
  "vouch",
  "given",
  "hidden",
  "also",
  "trail",
  "overdraw",
  "twice",
  "swapped",
  "batch"
])

/** Of these, what nothing else is a condition of. */
const innate: ReadonlySet<string> = new Set(
  [...standing].filter((each) => !only(each, "bypass", "impersonate", "vouch"))
)

/** Of these, the faults that anybody can use. */
const faults: ReadonlySet<string> = new Set(["twice", "swapped", "batch"])

/** Levers that carry a number and no account. */
const numeric: ReadonlySet<string> = new Set(["receive", "buy"])

/** Levers with a number that is an amount below 1,000. */
const small: ReadonlySet<string> = new Set(["transfer", "receive", "buy", "pull"])

/** Whether the parts go together: the others mean nothing, or are the same as one that is. */
export const fits = (c: Composition): boolean => rules.every((rule) => rule(c))

const noGates = (c: Composition): boolean =>
  [c.sender, c.receiver, c.caller, c.origin, c.amount, c.wealth].every((gate) => gate === "any")

const rules: ReadonlyArray<(c: Composition) => boolean> = [
  // What transfers do needs a condition, and what a lever does needs a lever.
  (c) => taking.has(c.effect) === (c.entry === "lever"),
  (c) =>
    c.entry !== "lever" ||
    (noGates(c) &&
      c.exemption === "nobody" &&
      c.form === "branch" &&
      !stored.has(c.condition) &&
      !ofSender.has(c.condition)),
  (c) => c.entry === "lever" || c.condition !== "none",
  (c) => (stored.has(c.condition) || c.entry === "lever") === (c.lever !== "none"),
  // One use is for one account.
  (c) => c.state !== "once" || !listed.has(c.condition),
  (c) => c.lever !== "none" || (c.state === "live" && c.title === "plain" && c.store === "variable"),
  (c) => c.voice === "loud" || only(c.effect, "mint", "seize", "wipe", "drain"),
  (c) => c.order === "gatesFirst" || (c.entry !== "lever" && (!noGates(c) || c.exemption !== "nobody")),
  // Where things are kept.
  (c) => stored.has(c.condition) || c.store === "variable",
  (c) => c.store !== "transient" || (!listed.has(c.condition) && c.entry !== "balanceOf"),
  (c) =>
    c.store !== "bits" ||
    (only(c.condition, "nonce", "frozen") ? false : c.condition !== "list" || c.books === "packed"),
  (c) => c.store !== "bitmap" || c.condition === "list",
  (c) => c.store !== "array" || c.condition !== "frozen",
  (c) => !only(c.store, "text", "code", "pointer") || !listed.has(c.condition),
  // What is pointed to is an address, which no small amount is.
  (c) => (c.store !== "pointer" && c.condition !== "target") || !small.has(c.lever),
  (c) => c.condition !== "target" || (c.store !== "pointer" && c.store !== "bits" && c.store !== "keyed"),
  (c) => c.condition !== "target" || only(c.entry, "move", "transferFrom"),
  (c) => c.store !== "keyed" || !listed.has(c.condition),
  // What writes any word writes one that is known.
  (c) =>
    !only(c.lever, "poke", "overrun") ||
    (only(c.state, "live", "renounced") &&
      (c.entry === "lever"
        ? only(c.effect, "mint", "wipe") &&
          only(c.books, "named", "hashed") &&
          c.condition === "none" &&
          c.voice === "quiet"
        : c.store === "slot")),
  (c) => c.store !== "allowance" || (c.condition === "list" && c.lever === "approve" && c.state !== "once"),
  (c) =>
    !only(c.store, "answer", "clone") ||
    (only(c.lever, "immutable", "anyone") && c.state !== "once" && c.condition !== "nonce"),
  (c) => c.condition !== "nonce" || c.store === "variable",
  (c) => c.condition !== "fee" || c.effect === "take" || c.effect === "refuse",
  (c) => c.effect !== "take" || c.condition !== "limit" || c.amount === "any",
  // What can be done where.
  (c) => c.effect !== "showLess" || only(c.entry, "balanceOf", "approve"),
  (c) => c.entry !== "balanceOf" || c.effect === "showLess",
  (c) =>
    c.entry !== "balanceOf" ||
    (noGates(c) &&
      c.exemption === "nobody" &&
      !listed.has(c.condition) &&
      !ofSender.has(c.condition) &&
      !only(c.condition, "limit", "hash", "digest", "root", "donation", "holding", "price")),
  (c) => c.entry !== "approve" || only(c.effect, "refuse", "showLess", "spin", "returnFalse", "cap"),
  (c) => c.entry !== "approve" || (c.caller === "any" && c.sender !== "notPool" && c.exemption !== "pool"),
  (c) => c.entry !== "approve" || c.condition !== "limit" || (c.effect !== "showLess" && c.store !== "bits"),
  (c) => c.entry !== "transfer" || (c.receiver === "any" && c.caller === "any"),
  // A sender that is exempt is not drawn again.
  (c) => c.exemption !== "contracts" || !only(c.sender, "account", "known"),
  (c) => c.exemption !== "pool" || c.sender === "any",
  (c) => c.effect !== "rebaseUp" || c.books === "shares",
  (c) => c.effect !== "rebaseDown" || c.books === "shares",
  (c) => !standing.has(c.effect) || (c.lever === "immutable" && c.title === "plain" && c.state !== "once"),
  (c) => c.effect !== "vouch" || c.state === "live",
  (c) => !innate.has(c.effect) || c.condition === "none",
  // A fault of the code is anybody's.
  (c) => !faults.has(c.effect) || (c.twin === "absent" && c.state === "live" && only(c.books, "plain", "named")),
  // More than there is is too much, whoever has it.
  (c) => c.effect !== "hidden" || (c.twin === "absent" && only(c.state, "live", "timelock", "born")),
  (c) => c.effect !== "rename" || c.books === "ids",
  (c) => c.effect !== "forget" || c.books === "epochs",
  (c) => c.store !== "jump" || (c.condition === "flag" && !only(c.lever, "module", "anyModule")),
  // What a token calls of itself has another caller, and no allowance to think of.
  (c) => c.form !== "self" || (c.caller === "any" && c.store !== "transient" && only(c.entry, "move", "transferFrom")),
  (c) => c.entry !== "approve" || c.receiver !== "pair",
  (c) => c.effect !== "grant" || (only(c.state, "live", "once", "renounced") && c.lever !== "execute"),
  (c) => !numeric.has(c.lever) || (!listed.has(c.condition) && !only(c.effect, "seize", "grant", "wipe", "rename")),
  // A pool that pays out refuses what takes from it meanwhile.
  (c) => c.lever !== "buy" || !only(c.effect, "rebaseDown", "drain", "showLess", "forget"),
  // Who can hold which lever.
  (c) =>
    !only(
      c.lever,
      "signature",
      "permit",
      "receive",
      "buy",
      "pull",
      "password",
      "origin",
      "regain",
      "initialize",
      "anyone"
    ) || only(c.state, "live", "once", "renounced"),
  (c) =>
    c.state !== "timelock" ||
    only(
      c.lever,
      "immutable",
      "owner",
      "role",
      "hiddenRole",
      "fallback",
      "increaseAllowance",
      "calldata",
      "approve",
      "multicall",
      "execute",
      "guardian",
      "hashed",
      "agent"
    ),
  (c) =>
    c.state !== "born" ||
    only(
      c.lever,
      "immutable",
      "fallback",
      "increaseAllowance",
      "calldata",
      "approve",
      "multicall",
      "execute",
      "guardian",
      "hashed",
      "agent"
    ),
  (c) =>
    c.title === "plain" ||
    only(
      c.lever,
      "immutable",
      "owner",
      "role",
      "hiddenRole",
      "signature",
      "module",
      "anyModule",
      "multicall",
      "execute",
      "password",
      "guardian",
      "hashed",
      "origin",
      "regain",
      "initialize",
      "poke",
      "overrun",
      "agent",
      "anyone"
    ),
  (c) => c.lever !== "transfer" || !only(c.entry, "move", "transfer") || only(c.exemption, "key"),
  (c) => c.lever !== "approve" || c.entry !== "approve" || only(c.exemption, "key"),
  (c) => c.lever !== "pull" || !only(c.entry, "move", "transferFrom", "approve") || only(c.exemption, "key"),
  (c) =>
    c.lever !== "buy" ||
    !only(c.entry, "move", "transfer") ||
    c.sender !== "any" ||
    only(c.exemption, "contracts", "pool"),
  // Who is to own it later owns nothing yet, and one use is for who is there.
  (c) => !only(c.lever, "regain", "initialize") || c.state === "live",
  (c) =>
    c.state !== "fake" || only(c.lever, "immutable", "owner", "hashed", "multicall", "execute", "guardian", "agent"),
  // What is renounced is not what holds the lever.
  (c) => c.state !== "renounced" || (c.lever !== "owner" && c.lever !== "anyone" && !standing.has(c.effect)),
  // Nobody can be shown to be gone who was never needed.
  (c) =>
    c.twin === "absent" ||
    (c.lever !== "none" ? c.lever !== "anyone" || c.state === "once" : only(c.condition, "window", "blocks")),
  // A module of its own does what it likes, whatever the token does.
  (c) => c.lever !== "anyModule" || (c.twin === "gone" && c.state !== "once"),
  // A contract that says that it waits gives nothing up either.
  (c) => c.lever !== "owner" || c.twin === "absent" || c.state !== "fake",
  // A timelock does not give up what it has.
  (c) => c.lever !== "role" || c.twin === "absent" || c.state !== "timelock",
  // Nothing says who has no role that was given without an event.
  // Nor which account, or which word, has a hash.
  (c) => !only(c.lever, "hiddenRole", "hashed", "password") || c.twin === "absent" || c.state === "once",
  // No small amount leaves such a number as it is.
  (c) => !small.has(c.lever) || c.state !== "once" || c.twin === "absent" || !only(c.condition, "limit", "clock")
]

/** The composition of a seed. */
export const draw = (seed: number): Composition => {
  const dice = Dice.make(seed)
  // Half of what is drawn alone is the first: a token of many odd parts is found by each of them.
  const plainly = <D extends Dimension>(dimension: D, probability: number): Composition[D] =>
    (dice.chance(probability) ? grammar[dimension][0] : dice.pick(grammar[dimension])) as Composition[D]
  for (;;) {
    const isTaking = dice.chance(0.25)
    const condition = isTaking
      ? dice.chance(0.5)
        ? "none"
        : dice.pick(grammar.condition.filter((each) => !stored.has(each)))
      : dice.pick(grammar.condition.filter((each) => each !== "none"))
    const hasLever = isTaking || stored.has(condition)
    const effect = isTaking ? dice.pick([...taking]) : dice.pick(grammar.effect.filter((each) => !taking.has(each)))
    const entry = isTaking
      ? "lever"
      : effect === "showLess"
        ? dice.pick(["balanceOf", "approve"] as const)
        : dice.pick(["move", "move", "transfer", "transferFrom", "transferFrom", "approve"] as const)
    const composition = {
      seed,
      books: plainly("books", 0.2),
      entry,
      effect,
      sender: plainly("sender", 0.5),
      receiver: plainly("receiver", 0.5),
      caller: plainly("caller", 0.7),
      origin: plainly("origin", 0.7),
      amount: plainly("amount", 0.6),
      wealth: plainly("wealth", 0.7),
      condition,
      store: stored.has(condition) ? plainly("store", 0.2) : "variable",
      lever: hasLever ? dice.pick(grammar.lever.filter((each) => each !== "none")) : "none",
      exemption: plainly("exemption", 0.2),
      form: plainly("form", 0.2),
      order: dice.pick(grammar.order),
      title: plainly("title", 0.5),
      voice: plainly("voice", 0.5),
      state: plainly("state", 0.5),
      twin: dice.pick(grammar.twin),
      build: plainly("build", 0.7),
      venues: plainly("venues", 0.9)
    } as Composition
    const settled = isTaking ? settle(composition) : suit(composition)
    if (fits(settled)) return settled
  }
}

/** Books that an effect needs. */
const booksFor: Readonly<Record<string, Composition["books"]>> = {
  rebaseUp: "shares",
  rebaseDown: "shares",
  rename: "ids",
  forget: "epochs"
}

/** What writes any word needs one that is known. */
const suit = (c: Composition): Composition => (only(c.lever, "poke", "overrun") ? { ...c, store: "slot" } : c)

/** What a lever does has no gates, so none are drawn for it; nor is what else an effect leaves no choice of. */
const settle = (c: Composition): Composition => ({
  ...c,
  ...(standing.has(c.effect) ? ({ lever: "immutable", title: "plain" } as const) : {}),
  ...(innate.has(c.effect) ? ({ condition: "none" } as const) : {}),
  ...(faults.has(c.effect) ? ({ twin: "absent", state: "live" } as const) : {}),
  books: booksFor[c.effect] ?? c.books,
  sender: "any",
  receiver: "any",
  caller: "any",
  origin: "any",
  amount: "any",
  wealth: "any",
  exemption: "nobody",
  form: "branch",
  order: "gatesFirst"
})

/** The parts that are not the first of their dimension, and what it does where and when. */
export const partsOf = (c: Composition): ReadonlyArray<string> =>
  dimensions
    .filter((dimension) => only(dimension, "entry", "effect", "condition") || c[dimension] !== grammar[dimension][0])
    .map((dimension) => `${dimension} ${c[dimension]}`)

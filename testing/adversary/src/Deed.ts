import { Infrastructure } from "@assay/sandbox"
import { type Address, encodeFunctionData, type Hex, parseAbi, parseEther, parseGwei } from "viem"
import { concat, encodeAbiParameters, getContractAddress, keccak256, padHex, slice, toHex } from "viem/utils"
import type { Compiled } from "./Compiler.js"
import { type Composition, listed, perAccount, stored, taking } from "./Composition.js"
import type { Ground, Transaction } from "./Ground.js"
import { donorOf, erc20, exchange, holdersOf, type Listed } from "./Market.js"
import * as Places from "./Places.js"
import * as Source from "./Source.js"

/** One thing that is done, or a wait. */
export type Step =
  | { readonly kind: "send"; readonly transactions: ReadonlyArray<Transaction> }
  | { readonly kind: "until"; readonly timestamp: number }
  | { readonly kind: "wait"; readonly seconds: number }
  | { readonly kind: "blocks"; readonly count: number }
  /** Of the blocks from here on. */
  | { readonly kind: "fee"; readonly baseFee: bigint }

/** What the deed is done to, and with. */
export interface Scene {
  readonly composition: Composition
  readonly ground: Ground
  readonly listed: Listed
  readonly compiled: Compiled
  readonly role: Source.Role
}

const permitTypes = [
  { name: "owner", type: "address" },
  { name: "spender", type: "address" },
  { name: "value", type: "uint256" },
  { name: "nonce", type: "uint256" },
  { name: "deadline", type: "uint256" }
]
const deadline = 2n ** 64n

const timelocked = parseAbi([
  "function schedule(address target, uint256 value, bytes data, bytes32 predecessor, bytes32 salt, uint256 delay)",
  "function execute(address target, uint256 value, bytes data, bytes32 predecessor, bytes32 salt) payable"
])
const forwarded = parseAbi(["function go(address to, bytes d)"])
const several = parseAbi([
  "function multicall(bytes[] d)",
  "function execute(address to, bytes d)",
  "function batchTransfer(address[] to, uint256 v)"
])
const swap = parseAbi(["function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes data)"])

/** The creation code of the contract that stands between a key and a token, where the key's own is born later. */
const forwarder = (compiled: Compiled): Hex => compiled.Forwarder as Hex

/** That of one that says that it is a Safe, or that it waits for seven days. */
const fake = (compiled: Compiled): Hex => compiled.Fake as Hex

/** What there is before a token: the contract that will hold its lever, if it is there from the first. */
export const founding = (composition: Composition, ground: Ground, compiled: Compiled): ReadonlyArray<Transaction> =>
  composition.state === "fake"
    ? [
        {
          from: ground.accounts.maker,
          to: Infrastructure.addresses.deterministicDeployer,
          data: concat([Places.salt(composition.seed), fake(compiled)]),
          label: "deploy the key"
        }
      ]
    : []

/** Who holds the lever: the maker, or a contract that does what the maker says. */
export const keyOf = (composition: Composition, ground: Ground, compiled: Compiled): Address =>
  composition.state === "timelock"
    ? ground.timelock
    : composition.state === "born"
      ? Places.bornAt(composition.seed, forwarder(compiled))
      : composition.state === "fake"
        ? Places.bornAt(composition.seed, fake(compiled))
        : ground.accounts.maker

const words = (...parts: ReadonlyArray<bigint | Address>): Hex =>
  concat(parts.map((part) => (typeof part === "bigint" ? toHex(part, { size: 32 }) : padHex(part, { size: 32 }))))

const selector = (signature: string): Hex => slice(keccak256(toHex(signature)), 0, 4)

/** The permit of an owner, signed by the maker whoever the owner is. */
const permit = async (
  { composition: c, ground, listed }: Scene,
  owner: Address,
  spender: Address,
  value: bigint,
  { label, nonce }: { readonly label: string; readonly nonce: number }
): Promise<Transaction> => {
  const { maker } = ground.accounts
  const message = { owner, spender, value: value.toString(), nonce, deadline: deadline.toString() }
  const domain = { name: `Composed ${c.seed}`, version: "1", chainId: 31_337, verifyingContract: listed.token }
  const types = {
    EIP712Domain: [
      { name: "name", type: "string" },
      { name: "version", type: "string" },
      { name: "chainId", type: "uint256" },
      { name: "verifyingContract", type: "address" }
    ],
    Permit: permitTypes
  }
  const signature = (await ground.rpc.call("eth_signTypedData_v4", [
    maker,
    { domain, types, primaryType: "Permit", message }
  ])) as Hex
  const data = concat([
    selector("permit(address,address,uint256,uint256,uint8,bytes32,bytes32)"),
    words(owner, spender, value, deadline, BigInt(slice(signature, 64, 65))),
    slice(signature, 0, 64)
  ])
  return { from: maker, to: listed.token, data, gas: 500_000n, label }
}

/** A call of the lever, with an account and a number. */
const call = async (
  scene: Scene,
  account: Address,
  value: bigint,
  options: {
    readonly lever?: Composition["lever"]
    readonly title?: string
    /** How many permits were used before. */
    readonly nonce?: number
  } = {}
): Promise<ReadonlyArray<Transaction>> => {
  const { composition: c, ground, listed } = scene
  const n = Source.numbers(c)
  const lever = options.lever ?? c.lever
  const title = options.title ?? n.title
  const { maker } = ground.accounts
  const isAnswered = (c.store === "answer" || c.store === "clone") && (lever === "immutable" || lever === "anyone")
  // The first contract that a token made answers, or is what the second clones.
  const answer = getContractAddress({ from: listed.token, nonce: c.store === "clone" ? 2n : 1n })
  const to = isAnswered ? answer : listed.token
  const act = concat([selector("act(address,uint256)"), words(account, value)])
  const own = concat([selector(`${title}(address,uint256)`), words(account, value)])
  const label = `${lever}: ${title}(${account}, ${value})`
  const sent = (data: Hex, gas = 500_000n): ReadonlyArray<Transaction> => [{ from: maker, to, data, gas, label }]
  switch (lever) {
    case "none":
      return []
    case "immutable":
    case "owner":
    case "role":
    case "hiddenRole":
    case "guardian":
    case "hashed":
    case "origin":
    case "anyone":
      return sent(own)
    case "poke":
    case "overrun": {
      const slot = slotOf(c, account)
      // The first element of an array is at the hash of its place.
      const at = lever === "poke" ? slot : BigInt.asUintN(256, slot - BigInt(keccak256(Places.slot(9))))
      return sent(concat([selector(`${title}(uint256,uint256)`), words(at, c.effect === "wipe" ? 0n : value)]))
    }
    case "agent": {
      const agent = getContractAddress({ from: listed.token, nonce: 1n })
      return [{ from: maker, to: agent, data: own, gas: 500_000n, label }]
    }
    case "initialize":
      return [...sent(concat([selector("initialize(address)"), words(maker)])), ...sent(own)]
    case "regain":
      return [...sent(selector("unlock()")), ...sent(own)]
    case "multicall":
      return sent(encodeFunctionData({ abi: several, functionName: "multicall", args: [[own]] }))
    case "execute":
      return sent(encodeFunctionData({ abi: several, functionName: "execute", args: [to, own] }))
    case "password":
      return sent(concat([selector(`${title}(address,uint256,bytes32)`), words(account, value), Places.word(c.seed)]))
    case "receive":
      return [{ from: maker, to, value: value / n.scale, gas: 500_000n, label: `pay the token ${value / n.scale} wei` }]
    case "buy": {
      const out = 1_000_000_000n + value / n.scale
      const isFirst = listed.token.toLowerCase() < Infrastructure.addresses.weth.toLowerCase()
      const pay = encodeFunctionData({ abi: erc20, functionName: "transfer", args: [listed.pool, parseEther("0.01")] })
      const args = [isFirst ? out : 0n, isFirst ? 0n : out, maker, "0x"] as const
      return [
        { from: maker, to: Infrastructure.addresses.weth, data: pay, label: "pay for some tokens" },
        {
          from: maker,
          to: listed.pool,
          data: encodeFunctionData({ abi: swap, functionName: "swap", args }),
          gas: 700_000n,
          label: `buy ${out} units`
        }
      ]
    }
    case "pull": {
      const amount = value / n.scale
      return [
        ...sent(concat([selector("approve(address,uint256)"), words(maker, amount)])),
        ...sent(concat([selector("transferFrom(address,address,uint256)"), words(maker, account, amount)]))
      ]
    }
    case "increaseAllowance":
    case "decreaseAllowance":
    case "approve":
      return sent(concat([selector(`${lever}(address,uint256)`), words(account, value)]))
    case "transfer":
      return sent(concat([selector("transfer(address,uint256)"), words(account, value / n.scale)]))
    case "calldata":
      return sent(concat([selector("transfer(address,uint256)"), words(account, 0n, value)]))
    case "fallback":
      return sent(concat(["0xfeedbeef", words(account, value)]))
    case "signature": {
      const digest = keccak256(words(listed.token, account, value))
      const signature = (await ground.rpc.call("eth_sign", [maker, digest])) as Hex
      return sent(
        concat([
          selector(`${title}(address,uint256,uint8,bytes32,bytes32)`),
          words(account, value, BigInt(slice(signature, 64, 65))),
          slice(signature, 0, 64)
        ])
      )
    }
    case "permit":
      return [await permit(scene, maker, account, value, { nonce: options.nonce ?? 0, label })]
    case "module":
      return sent(concat([selector(`${title}(bytes)`), encodeAbiParameters([{ type: "bytes" }], [act])]))
    case "anyModule": {
      const name = Object.keys(scene.compiled).find((each) =>
        each.startsWith(scene.role === "trap" ? "ModuleTrap" : "ModuleTwin")
      )
      if (name === undefined) return []
      const code = scene.compiled[name] as Hex
      const module = Places.bornAt(c.seed, code)
      return [
        {
          from: maker,
          to: Infrastructure.addresses.deterministicDeployer,
          data: concat([Places.salt(c.seed), code]),
          gas: 4_000_000n,
          label: "deploy a module"
        },
        ...sent(
          concat([
            selector(`${title}(address,bytes)`),
            encodeAbiParameters([{ type: "address" }, { type: "bytes" }], [module, act])
          ])
        )
      ]
    }
  }
}

/** The word that a lever writes which can write any: what is stored for an account or for all, or a balance. */
const slotOf = (c: Composition, account: Address): bigint => {
  const entryOf = (base: Hex): bigint => BigInt(keccak256(concat([padHex(account, { size: 32 }), base])))
  if (c.entry === "lever") return entryOf(c.books === "named" ? Places.namespace(7) : Places.slot(7))
  const at = Places.slot(c.seed)
  return perAccount.has(c.condition) ? entryOf(at) : BigInt(at)
}

/** The same calls as the key makes them: through a timelock, or a contract that is born for it. */
const through = (scene: Scene, calls: ReadonlyArray<Transaction>): ReadonlyArray<Step> => {
  const { composition: c, compiled, ground } = scene
  const { maker } = ground.accounts
  if (c.lever === "regain")
    return [
      { kind: "wait", seconds: 31 * Places.day },
      { kind: "send", transactions: calls }
    ]
  if (c.state === "timelock") {
    const salt = Places.salt(c.seed)
    const none = padHex("0x", { size: 32 })
    const wrap = (name: "schedule" | "execute") =>
      calls.map(({ data = "0x", label, to }): Transaction => {
        const args = [to as Address, 0n, data, none, salt] as const
        return {
          from: maker,
          to: ground.timelock,
          data:
            name === "schedule"
              ? encodeFunctionData({ abi: timelocked, functionName: name, args: [...args, BigInt(7 * Places.day)] })
              : encodeFunctionData({ abi: timelocked, functionName: name, args }),
          gas: 700_000n,
          label: `${name} ${label}`
        }
      })
    return [
      { kind: "send", transactions: wrap("schedule") },
      { kind: "wait", seconds: 7 * Places.day + 60 },
      { kind: "send", transactions: wrap("execute") }
    ]
  }
  if (c.state === "born" || c.state === "fake") {
    const key = keyOf(c, ground, compiled)
    const born: Transaction = {
      from: maker,
      to: Infrastructure.addresses.deterministicDeployer,
      data: concat([Places.salt(c.seed), forwarder(compiled)]),
      label: "deploy the key"
    }
    const wrapped = calls.map(
      ({ data = "0x", label, to }): Transaction => ({
        from: maker,
        to: key,
        data: encodeFunctionData({ abi: forwarded, functionName: "go", args: [to as Address, data] }),
        label: `as the key: ${label}`
      })
    )
    return [{ kind: "send", transactions: c.state === "fake" ? wrapped : [born, ...wrapped] }]
  }
  return [{ kind: "send", transactions: calls }]
}

const pull = (scene: Scene, from: Address): Transaction => {
  const { maker } = scene.ground.accounts
  return {
    from: maker,
    to: scene.listed.token,
    data: encodeFunctionData({ abi: erc20, functionName: "transferFrom", args: [from, maker, parseEther("100")] }),
    label: `take from ${from}`
  }
}

/** The least that can be given. */
const give = (from: Address, token: Address, to: Address, label: string): Transaction => ({
  from,
  to: token,
  data: encodeFunctionData({ abi: erc20, functionName: "transfer", args: [to, 1n] }),
  label: `${label} one unit`
})

/** What the key sells for most of the ether of the pool. */
const dumped = ({ ground, listed }: Scene): ReadonlyArray<Transaction> => {
  const { maker } = ground.accounts
  const { uniswapV2Router, weth } = Infrastructure.addresses
  const amount = parseEther("8000000")
  const path = [listed.token, weth]
  return [
    {
      from: maker,
      to: listed.token,
      data: encodeFunctionData({ abi: erc20, functionName: "approve", args: [uniswapV2Router, amount] }),
      label: "approve the exchange"
    },
    {
      from: maker,
      to: uniswapV2Router,
      data: encodeFunctionData({
        abi: exchange,
        functionName: "swapExactTokensForETHSupportingFeeOnTransferTokens",
        args: [amount, 0n, path, maker, 2n ** 256n - 1n]
      }),
      label: "sell eight times the supply"
    }
  ]
}

/** A transfer of the key with the account behind it that it wants to be. */
const impersonated = (scene: Scene, victim: Address): Transaction => {
  const { maker } = scene.ground.accounts
  const data = encodeFunctionData({ abi: erc20, functionName: "transfer", args: [maker, parseEther("100")] })
  return { from: maker, to: scene.listed.token, data: concat([data, victim]), label: `send as ${victim}` }
}

/** A base fee that is high, and is seen. */
export const highFee = parseGwei("200")

/** What brings a circumstance about, or waits for it. */
const circumstance = (scene: Scene, condition = scene.composition.condition): ReadonlyArray<Step> => {
  const { composition: c, ground, listed } = scene
  const n = Source.numbers(c)
  const { maker, trader5 } = ground.accounts
  const at = (days: number): Step => ({ kind: "until", timestamp: Places.start.timestamp + days * Places.day })
  const send = (transaction: Transaction): Step => ({ kind: "send", transactions: [transaction] })
  switch (condition) {
    case "window":
      return [at((n.from + n.until) / 2)]
    case "period":
      return [at((n.period[0] + n.period[1]) / 2)]
    case "blocks":
      return [{ kind: "blocks", count: n.blocks[0] + 20 }]
    case "donation":
      return [
        send({
          from: donorOf(ground),
          to: listed.token,
          data: encodeFunctionData({ abi: erc20, functionName: "transfer", args: [listed.token, parseEther("1200")] }),
          label: "give the token 1,200 of itself"
        })
      ]
    case "holding":
      return [
        send({
          from: donorOf(ground),
          to: listed.token,
          data: encodeFunctionData({
            abi: erc20,
            functionName: "transfer",
            args: [Places.purse(c.seed), parseEther("1200")]
          }),
          label: "give an account 1,200 tokens"
        })
      ]
    case "coin":
      return [send({ from: trader5, to: Places.purse(c.seed), value: 1n, label: "pay 1 wei to an account" })]
    case "price":
      return [
        send({
          from: maker,
          to: Infrastructure.addresses.weth,
          data: encodeFunctionData({ abi: erc20, functionName: "transfer", args: [listed.pool, parseEther("15")] }),
          label: "give the pool 15 ether"
        })
      ]
    case "gasPrice":
    case "baseFee":
      return [{ kind: "fee", baseFee: highFee }]
    case "dusted":
      return [
        {
          kind: "send",
          transactions: holdersOf(ground).map((holder) => give(donorOf(ground), listed.token, holder, "give a holder"))
        }
      ]
    case "count":
      return [
        {
          kind: "send",
          transactions: Array.from({ length: 45 }, () => ({
            ...give(donorOf(ground), listed.token, Places.purse(c.seed), "give an account"),
            gas: 200_000n
          }))
        }
      ]
    case "gift": {
      const { usdt } = Infrastructure.addresses
      return [
        {
          kind: "send",
          transactions: holdersOf(ground).map((holder) =>
            give(ground.accounts.usdtOwner, usdt, holder, "give a holder, in dollars,")
          )
        }
      ]
    }
    case "age":
      return [at(n.from + 2)]
    case "born":
      return [
        send({
          from: maker,
          to: Infrastructure.addresses.deterministicDeployer,
          data: concat([Places.salt(c.seed), Places.seedling]),
          label: "deploy a contract"
        })
      ]
    default:
      return []
  }
}

/** What switches the part of a composition on, or has its lever take. */
export const steps = async (scene: Scene): Promise<ReadonlyArray<Step>> => {
  const { composition: c, ground } = scene
  const n = Source.numbers(c)
  const { maker } = ground.accounts
  const holders = holdersOf(ground)
  if (taking.has(c.effect)) {
    const before = circumstance(scene)
    if (c.effect === "trail") return through(scene, [pull(scene, holders[0] as Address)])
    if (c.effect === "overdraw" || c.effect === "twice") {
      const self = keyOf(c, ground, scene.compiled)
      const amount = c.effect === "twice" ? 5n : 100n
      const data = encodeFunctionData({
        abi: erc20,
        functionName: "transfer",
        args: [self, amount * parseEther("1")]
      })
      return through(scene, [{ from: maker, to: scene.listed.token, data, label: "send the key its own" }])
    }
    if (c.effect === "swapped") {
      const [victim] = holders as [Address]
      const args = [victim, parseEther("100")] as const
      const approve: Transaction = {
        from: maker,
        to: scene.listed.token,
        data: encodeFunctionData({ abi: erc20, functionName: "approve", args }),
        label: `allow ${victim} to spend`
      }
      return [{ kind: "send", transactions: [approve, pull(scene, victim)] }]
    }
    if (c.effect === "batch") {
      const args = [[maker, ground.accounts.trader5], 2n ** 255n] as const
      const data = encodeFunctionData({ abi: several, functionName: "batchTransfer", args })
      return [
        {
          kind: "send",
          transactions: [{ from: maker, to: scene.listed.token, data, label: "send two accounts too much" }]
        }
      ]
    }
    if (c.effect === "hidden") return through(scene, dumped(scene))
    if (c.effect === "also") {
      const approve: Transaction = {
        from: holders[0] as Address,
        to: scene.listed.token,
        data: encodeFunctionData({
          abi: erc20,
          functionName: "approve",
          args: [Infrastructure.addresses.uniswapV2Router, parseEther("200")]
        }),
        label: "a holder approves the exchange"
      }
      return [{ kind: "send", transactions: [approve] }, ...through(scene, [pull(scene, holders[0] as Address)])]
    }
    if (c.effect === "given") {
      const taken = through(scene, [pull(scene, scene.listed.pool)])
      return [...before, ...taken]
    }
    if (c.effect === "impersonate") return [...before, ...through(scene, [impersonated(scene, holders[0] as Address)])]
    if (c.effect === "vouch") {
      const [victim] = holders as [Address]
      const label = `permit of ${victim} without its signature`
      const permitted = await permit(scene, victim, maker, parseEther("100"), { nonce: 0, label })
      return [...before, { kind: "send", transactions: [permitted, pull(scene, victim)] }]
    }
    if (c.effect === "bypass") {
      const taken = through(
        scene,
        c.state === "live"
          ? [pull(scene, holders[0] as Address)]
          : [{ ...pull(scene, holders[0] as Address), label: "take from a holder" }]
      )
      return [...before, ...taken]
    }
    const victims =
      c.effect === "mint" || c.effect === "drain" || c.effect === "forget"
        ? [maker]
        : c.state === "once"
          ? holders.slice(0, 1)
          : holders
    const calls: Array<Transaction> = []
    for (const [i, victim] of victims.entries())
      calls.push(...(await call(scene, victim, BigInt(n.on) * n.scale, { nonce: i + usedPermits(scene) })))
    const pulled: ReadonlyArray<Step> =
      c.effect === "grant" ? [{ kind: "send", transactions: victims.map((victim) => pull(scene, victim)) }] : []
    return [...before, ...through(scene, calls), ...pulled]
  }
  if (!stored.has(c.condition)) return circumstance(scene)
  const victims = listed.has(c.condition) ? holders : holders.slice(0, 1)
  const answering = answererOf(scene)
  const number = c.condition === "target" ? BigInt(scene.listed.pool) : BigInt(n.on) * n.scale
  const value = answering === undefined ? number : BigInt(Places.bornAt(c.seed, answering))
  const calls: Array<Transaction> = []
  for (const [i, victim] of victims.entries())
    calls.push(...(await call(scene, victim, value, { nonce: i + usedPermits(scene) })))
  if (answering === undefined) return through(scene, calls)
  const born: Transaction = {
    from: maker,
    to: Infrastructure.addresses.deterministicDeployer,
    data: concat([Places.salt(c.seed), answering]),
    label: "deploy what answers"
  }
  return [{ kind: "send", transactions: [born] }, ...through(scene, calls)]
}

/** The creation code of the contract that a pointer is set to. */
const answererOf = ({ compiled, composition: c, role }: Scene): Hex | undefined =>
  c.store === "pointer" ? compiled[`Asked${role === "trap" ? "Trap" : "Twin"}${c.seed}`] : undefined

const usedPermits = ({ composition: c, role }: Scene): number =>
  c.lever === "permit" && c.state === "once" && role === "twin" && c.twin === "gone" ? 1 : 0

const given = parseAbi(["function renounceOwnership()", "function renounceRole(bytes32 role, address account)"])

const renounce = ({ ground, listed }: Scene, what: "owner" | "role"): Transaction => {
  const { maker } = ground.accounts
  const args = [keccak256(toHex("KEEPER")), maker] as const
  return {
    from: maker,
    to: listed.token,
    data:
      what === "owner"
        ? encodeFunctionData({ abi: given, functionName: "renounceOwnership" })
        : encodeFunctionData({ abi: given, functionName: "renounceRole", args }),
    label: `renounce what it has as ${what}`
  }
}

/** What the maker does right after a token came to market. Nobody can use the lever of a twin after it. */
export const launch = async (scene: Scene): Promise<ReadonlyArray<Transaction>> => {
  const { composition: c, ground, role } = scene
  const renounced = c.state === "renounced" ? [renounce(scene, "owner")] : []
  if (role === "trap" || c.twin === "absent") return renounced
  // With what changes nothing.
  if (c.state === "once") return call(scene, ground.accounts.maker, c.store === "pointer" ? 0n : Source.numbers(c).off)
  if (c.lever === "role") return [...renounced, renounce(scene, "role")]
  return c.lever === "owner" && c.state === "live" ? [renounce(scene, "owner")] : renounced
}

/** Every other call of the grammar, by the maker and by the key. */
const others = async (scene: Scene): Promise<ReadonlyArray<Step>> => {
  const n = Source.numbers(scene.composition)
  const [victim] = holdersOf(scene.ground)
  const levers: ReadonlyArray<Composition["lever"]> = [
    "immutable",
    "signature",
    "increaseAllowance",
    "decreaseAllowance",
    "approve",
    "permit",
    "transfer",
    "calldata",
    "fallback",
    "module",
    "receive",
    "buy",
    "pull",
    "multicall",
    "execute",
    "password",
    "regain",
    "initialize",
    "poke",
    "overrun"
  ]
  const titles = [
    "configure",
    "mint",
    "seize",
    "grant",
    "rebaseUp",
    "rebaseDown",
    "wipe",
    "drain",
    "rename",
    "forget",
    n.title
  ]
  const calls: Array<Transaction> = []
  for (const lever of levers)
    for (const title of lever === "immutable" || lever === "signature" || lever === "module" ? titles : [n.title])
      calls.push(...(await call(scene, victim as Address, BigInt(n.on) * n.scale, { lever, title })))
  return [
    { kind: "send", transactions: calls },
    ...(scene.composition.state === "timelock" ||
    scene.composition.state === "born" ||
    scene.composition.state === "fake"
      ? through(scene, calls)
      : []),
    { kind: "send", transactions: [pull(scene, victim as Address), impersonated(scene, victim as Address)] }
  ]
}

/** Every deed of the grammar but those of time and fees: calls of every lever, and what anybody can bring about. */
export const everything = async (scene: Scene): Promise<ReadonlyArray<Step>> => {
  const conditions = ["donation", "holding", "coin", "born", "blocks", "price", "dusted", "count", "gift"] as const
  const all = [...(await others(scene)), ...conditions.flatMap((condition) => circumstance(scene, condition))]
  // A block has all calls that have nothing between them.
  const blocks: Array<Step> = []
  for (const step of all) {
    const last = blocks.at(-1)
    if (step.kind === "send" && last?.kind === "send")
      blocks.splice(-1, 1, { kind: "send", transactions: [...last.transactions, ...step.transactions] })
    else blocks.push(step)
  }
  return blocks
}

import type { Address, Hex, SignedAuthorization } from "viem"
import { encodeDeployData, encodeFunctionData, getContractAddress, size } from "viem/utils"
import type { Artifact } from "./Artifact.js"
import type { JsonRpc, Request } from "./JsonRpc.js"

/** One transaction of the script, without the fields that depend on its place in the block. */
interface Step {
  readonly label: string
  readonly from: Address
  readonly gas: bigint
  readonly fields: Readonly<Record<string, unknown>>
}

interface Block {
  readonly timestamp: number
  readonly changes: ReadonlyArray<Request>
  readonly steps: ReadonlyArray<Step>
}

/**
 * The transactions that build the chain, written down before the first one is sent. Nonces, and with them all
 * addresses, are known offline, so that running the script needs two requests a block and no answer in between.
 */
export interface Script {
  /** Adds a transaction. */
  readonly send: (options: {
    readonly label: string
    readonly from: Address
    readonly to?: Address | undefined
    readonly data?: Hex | undefined
    readonly value?: bigint | undefined
    readonly gas?: bigint | undefined
    readonly authorizations?: ReadonlyArray<SignedAuthorization> | undefined
  }) => void
  /** Adds a call of one function. */
  readonly call: (options: {
    readonly from: Address
    readonly to: Address
    readonly contract: Artifact
    readonly name: string
    readonly args?: ReadonlyArray<unknown> | undefined
    readonly value?: bigint | undefined
    readonly gas?: bigint | undefined
  }) => void
  /** Adds a deployment and returns the address it gets. */
  readonly deploy: (options: {
    readonly from: Address
    readonly contract: Artifact
    readonly args?: ReadonlyArray<unknown> | undefined
  }) => Address
  /** Changes the chain as no transaction can, right before the block that is being written. */
  readonly change: (request: Request) => void
  /** Lets an account send that nobody has the key of, with so many wei; returns it. */
  readonly unlock: (account: Address, balance: bigint) => Address
  /** The accounts that were unlocked so. */
  readonly unlocked: () => ReadonlyArray<Address>
  /** The timestamp of the block that is being written. */
  readonly now: () => number
  /** The nonce that the next transaction of an account has. */
  readonly nonce: (from: Address) => number
  /** Ends the block; the next one is `seconds` later. */
  readonly seal: (seconds?: number) => void
  /** Mines the blocks; rejects when a transaction did not succeed. */
  readonly run: (rpc: JsonRpc) => Promise<void>
}

/** The gas limit of the chain's blocks. */
export const blockGasLimit = 60_000_000n

/** Seconds between two blocks. */
export const blockTime = 12

const maxFeePerGas = 100_000_000_000n
const maxPriorityFeePerGas = 100_000_000n

const quantity = (value: bigint | number): Hex => `0x${value.toString(16)}`

const encodeAuthorization = ({ chainId, address, nonce, r, s, yParity }: SignedAuthorization) => ({
  chainId: quantity(chainId),
  address,
  nonce: quantity(nonce),
  r,
  s,
  yParity: quantity(yParity ?? 0)
})

/** An empty script for a chain with this timestamp of its newest block. */
export const make = (headTimestamp: number): Script => {
  const blocks: Array<Block> = []
  const nonces = new Map<Address, number>()
  const labels = new Map<string, string>()
  const open: Array<Address> = []
  let steps: Array<Step> = []
  let changes: Array<Request> = []
  let timestamp = headTimestamp + blockTime
  let reserved = 0n

  const nonce = (from: Address): number => nonces.get(from) ?? 0

  const seal = (seconds: number = blockTime): void => {
    blocks.push({ timestamp, changes, steps })
    steps = []
    changes = []
    reserved = 0n
    timestamp += seconds
  }

  const add = (step: Step): void => {
    if (reserved + step.gas > blockGasLimit) seal()
    reserved += step.gas
    steps.push(step)
    nonces.set(step.from, nonce(step.from) + 1)
  }

  const send: Script["send"] = ({ label, from, to, data, value, gas = 500_000n, authorizations }) =>
    add({
      label,
      from,
      gas,
      fields: {
        ...(to === undefined ? {} : { to }),
        ...(data === undefined ? {} : { data }),
        value: quantity(value ?? 0n),
        nonce: quantity(nonce(from)),
        ...(authorizations === undefined ? {} : { authorizationList: authorizations.map(encodeAuthorization) })
      }
    })

  const call: Script["call"] = ({ contract, name, args, ...rest }) =>
    send({
      ...rest,
      label: `${contract.name}.${name}`,
      data: encodeFunctionData({ abi: contract.abi, functionName: name, args: args ?? [] })
    })

  const deploy: Script["deploy"] = ({ from, contract, args }) => {
    const address = getContractAddress({ from, nonce: BigInt(nonce(from)) })
    const data = encodeDeployData({ abi: contract.abi, bytecode: contract.bytecode, args: args ?? [] })
    // 200 a byte of code and 16 a byte of calldata, and room for what the constructor does.
    send({ label: `new ${contract.name}`, from, data, gas: 900_000n + 250n * BigInt(size(data)) })
    return address
  }

  const run: Script["run"] = async (rpc) => {
    if (steps.length > 0 || changes.length > 0) seal()
    let first = Number(await rpc.call("eth_blockNumber")) + 1
    for (const block of blocks) {
      // The pool orders by fee: one wei less for each makes the order of the script the order in the block.
      const requests = block.steps.map(({ from, gas, fields }, index): Request => {
        const fees = {
          maxFeePerGas: quantity(maxFeePerGas - BigInt(index)),
          maxPriorityFeePerGas: quantity(maxPriorityFeePerGas)
        }
        return { method: "eth_sendTransaction", params: [{ from, gas: quantity(gas), ...fields, ...fees }] }
      })
      await rpc.batch(block.changes)
      const hashes = await rpc.batch(requests)
      await rpc.call("evm_mine", [quantity(block.timestamp)])
      block.steps.forEach((step, index) => {
        labels.set(String(hashes[index]), `${step.label} (block ${first})`)
      })
      first++
    }
    await verify(rpc, first - blocks.length, blocks.length)
  }

  const verify = async (rpc: JsonRpc, first: number, count: number): Promise<void> => {
    const numbers = Array.from({ length: count }, (_, index) => quantity(first + index))
    const answers = await rpc.batch(numbers.map((number) => ({ method: "eth_getBlockReceipts", params: [number] })))
    const receipts = answers.flat() as ReadonlyArray<{ readonly transactionHash: string; readonly status: string }>
    const succeeded = new Set(receipts.filter((r) => r.status === "0x1").map((r) => r.transactionHash))
    const failed = [...labels].filter(([hash]) => !succeeded.has(hash)).map(([, label]) => label)
    if (failed.length > 0) throw new Error(`The sandbox could not be built: ${failed.join(", ")} did not succeed`)
  }

  const change: Script["change"] = (request) => {
    changes.push(request)
  }

  const unlock: Script["unlock"] = (account, balance) => {
    change({ method: "anvil_impersonateAccount", params: [account] })
    change({ method: "anvil_setBalance", params: [account, quantity(balance)] })
    open.push(account)
    return account
  }

  return { send, call, deploy, change, unlock, unlocked: () => open, now: () => timestamp, nonce, seal, run }
}

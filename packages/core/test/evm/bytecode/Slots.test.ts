import { assert, describe, it } from "@effect/vitest"
import * as Slots from "../../../src/evm/bytecode/Slots.js"

describe("Slots", () => {
  it("derives the slots that the standards print", () => {
    // As printed in EIP-1967, EIP-1822, EIP-7201's example, Safe and OpenZeppelin sources.
    const printed: Record<string, string> = {
      implementation: "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc",
      admin: "0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103",
      beacon: "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50",
      proxiable: "0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7",
      zeppelinOsImplementation: "0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3",
      zeppelinOsAdmin: "0x10d6a54a4754c8869d6886b5f5d7fbfa5b4522237ea5c60d11bc4e7a1ff9390b",
      diamondStorage: "0xc8fcad8db84d3cc18b4c41d551ea0ee66dd599cde068d998e57d5e09332c131c",
      polygonImplementation: "0xbaab7dbf64751104133af04abc7d9979f0fda3b059a322a8333f533d3f32bf7f",
      safeGuard: "0x4a204f620c8c5ccdca3fd54d003badd85ba500436a431f0cbda4f558c93c34c8",
      safeFallbackHandler: "0x6c9a6c4a39284e37ed1cf53d337577d14212a4870fb976a4366c693b939918d5",
      hyperCoreDeployer: "0x8c306a6a12fff1951878e8621be6674add1102cd359dd968efbbe797629ef84f",
      initializable: "0xf0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a00",
      ownable: "0x9016d09d72d40fdae2fd8ceac6b6234c7706214fd39c1cd1e609a0528c199300"
    }
    const derived = new Map<string, unknown>(Object.entries(Slots))
    for (const [name, value] of Object.entries(printed)) assert.strictEqual(derived.get(name), value, name)
    assert.strictEqual(
      Slots.erc7201("example.main"),
      "0x183a6125c38840424c4a85fa12bab2ab606c4b6d0e7cc73c0c06ba5300eab500"
    )
  })

  it("gives a mapping entry the slot that solc gives it", () => {
    // keccak256(abi.encode(address(1), uint256(0))), checked with `cast index address 0x01 0`.
    assert.strictEqual(
      Slots.mapping("0x0000000000000000000000000000000000000001", "0x0"),
      "0xada5013122d395ba3c54772283fb069b10426056ef8ca54750cb9bb552a59e7d"
    )
  })
})

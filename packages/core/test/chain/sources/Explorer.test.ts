import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import * as Chains from "../../../src/chain/Chains.js"
import * as Explorer from "../../../src/chain/sources/Explorer.js"
import * as Address from "../../../src/domain/Address.js"
import * as Timestamp from "../../../src/domain/Timestamp.js"
import { hashOf } from "../FakeNode.js"

const block = { number: 7, hash: hashOf(7), timestamp: Timestamp.fromMillis(0) }
const chainWith = (explorer: Option.Option<string>) =>
  Chains.make({ id: 1, endpoints: ["https://rpc.example/s3cr3t"], explorer })

describe("Explorer", () => {
  it("links to the chain's explorer, whether its URL ends in a slash or not", () => {
    for (const url of ["https://scan.example", "https://scan.example/"]) {
      const chain = chainWith(Option.some(url))
      assert.strictEqual(
        Explorer.addressUrl(chain, block, Address.zero),
        `https://scan.example/address/${Address.zero}`
      )
      assert.strictEqual(Explorer.blockUrl(chain, block), "https://scan.example/block/7")
    }
  })

  it("names the account and the block where there is no explorer, and never the endpoint", () => {
    const chain = chainWith(Option.none())
    assert.strictEqual(Explorer.addressUrl(chain, block, Address.zero), `eip155:1:${Address.zero}?block=7`)
    assert.strictEqual(Explorer.blockUrl(chain, block), "eip155:1?block=7")
  })
})

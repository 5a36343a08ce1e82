import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as TokenPowers from "../../../../src/evm/powers/TokenPowers.js"
import * as StorageFlow from "../../../../src/evm/summary/StorageFlow.js"
import { contracts, describeCompiled } from "../../Compiled.js"

/** What there is to say of functions that write allowances by signatures which come as bytes. */
const expected: Record<string, string> = {
  BytesPermit: "none",
  MemoryPermit: "none",
  SplitPermit: "none",
  // A contract vouches by what another one answers, next to those who sign.
  ContractPermit: "none",
  OwnersPermit: "found permit",
  AnybodysPermit: "unknown permit",
  EitherPermit: "unknown permit",
  SpendersPermit: "unknown permit",
  LeftSigner: "unknown permit",
  ClearedSigner: "none",
  LeftVoucher: "unknown permit",
  ClearedVoucher: "none",
  OthersHash: "unknown permit",
  CopiedVoucher: "none",
  CalledVoucher: "none",
  SpendersVoucher: "unknown permit",
  EitherVoucher: "unknown permit",
  NamedHash: "unknown permit",
  UncountedHash: "unknown permit",
  HiddenHash: "unknown permit",
  LeftAndMore: "unknown permit",
  SometimesSigned: "unknown permit",
  NothingInCommon: "unknown permit",
  OneOfBoth: "none"
}

describeCompiled("SpendAuthorization", (pipeline) => {
  const contract = contracts(pipeline, "Permits.sol")

  for (const [name, said] of Object.entries(expected))
    it.effect(`reads ${name}: ${said}`, () =>
      Effect.gen(function* () {
        const { code, names } = contract(name)
        const { bypass } = TokenPowers.of(code, yield* StorageFlow.analyse(code))
        const told = [bypass.state, ...bypass.levers.map(({ selector }) => names.get(selector))].join(" ")
        assert.strictEqual(told, said)
      })
    )
})

import { assert, describe, it } from "@effect/vitest"
import * as Role from "../../src/report/Role.js"

const hash = `0x${"9f".repeat(32)}`

describe("Role", () => {
  it("reads a role by its name, with what its holder can do where OpenZeppelin defines it", () => {
    assert.deepStrictEqual(Role.parse("role:MINTER_ROLE"), { kind: "role", name: "MINTER_ROLE", deed: undefined })
    assert.deepStrictEqual(Role.parse("role:DEFAULT_ADMIN_ROLE"), {
      kind: "role",
      name: "DEFAULT_ADMIN_ROLE",
      deed: "give and take roles"
    })
  })

  it("shortens a role without a known name, and a guarded function and any other word stay what they are", () => {
    assert.deepStrictEqual(Role.parse(`role:${hash}`), { kind: "role", name: "0x9f9f9f9f…", deed: undefined })
    assert.deepStrictEqual(Role.parse("function:mint(address,uint256)"), {
      kind: "function",
      name: "mint(address,uint256)",
      deed: undefined
    })
    for (const power of ["owner", "role:", "function:", ""])
      assert.deepStrictEqual(Role.parse(power), { kind: "other", name: power, deed: undefined })
  })
})

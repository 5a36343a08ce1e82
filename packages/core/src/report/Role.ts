/** @internal */

/** A power by the name that the control graph gives it: a role, a function that a guard allows, or a word such as "owner". */
export interface Role {
  readonly kind: "role" | "function" | "other"
  /** What it is called: a role that has no known name by the first digits of its hash. */
  readonly name: string
  /** What its holder can do, of a role that OpenZeppelin's contracts define. */
  readonly deed: string | undefined
}

/** Reads the name of a power: "role:MINTER_ROLE", "role:0x…", "function:mint(address,uint256)", "owner". */
export const parse = (power: string): Role => {
  const [, hash] = /^role:(0x[0-9a-f]{8})[0-9a-f]+$/i.exec(power) ?? []
  if (hash !== undefined) return { kind: "role", name: `${hash}…`, deed: undefined }
  const [, kind, name] = /^(role|function):(.+)$/.exec(power) ?? []
  return name === undefined
    ? { kind: "other", name: power, deed: undefined }
    : kind === "role"
      ? { kind: "role", name, deed: openzeppelin[name] }
      : { kind: "function", name, deed: undefined }
}

// https://docs.openzeppelin.com/contracts/5.x/api/governance#TimelockController
const openzeppelin: { readonly [role: string]: string } = {
  PROPOSER_ROLE: "propose operations to the timelock",
  EXECUTOR_ROLE: "execute operations that have waited",
  CANCELLER_ROLE: "cancel operations that wait",
  DEFAULT_ADMIN_ROLE: "give and take roles"
}

// The targets of the sandbox chain as people are shown them.
const headings = {
  basic: "To begin with",
  trap: "Tokens with rules of their own about trading",
  power: "Tokens that somebody has power over",
  honest: "Their honest twins",
  liquidity: "Tokens by who has the shares of their pool",
  control: "Tokens by who controls them",
  ranked: "Tokens in the order in which a careful treasurer would rank them",
  wallet: "Wallets"
}

/** All targets by group, each group with its heading. */
export const of = (targets) =>
  Object.entries(headings).map(([group, heading]) => ({
    heading,
    targets: Object.values(targets)
      .filter((target) => target.group === group)
      .map(({ address, description, kind, name }) => ({ address, description, kind, name }))
  }))

// What `npm run targets` prints: every target of the sandbox chain. It is known without a chain.
import { Sandbox } from "@assay/sandbox"

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

const lines = (targets) =>
  Object.entries(headings).flatMap(([group, heading]) => [
    "",
    `${heading}:`,
    ...targets
      .filter((target) => target.group === group)
      .map(({ address, description, kind, name }) => `${kind}/${address}  ${name}: ${description}`)
  ])

/** Prints them all, by group. */
export const print = async () => {
  console.log(
    lines(Object.values(await Sandbox.targets()))
      .slice(1)
      .join("\n")
  )
}

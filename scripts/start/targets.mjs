// What `npm run targets` prints: every target of the sandbox chain. It is known without a chain.
import { Sandbox } from "@assay/sandbox"
import * as TargetGroups from "./targetGroups.mjs"

const lines = (targets) =>
  TargetGroups.of(targets).flatMap(({ heading, targets }) => [
    "",
    `${heading}:`,
    ...targets.map(({ address, description, kind, name }) => `${kind}/${address}  ${name}: ${description}`)
  ])

/** Prints them all, by group. */
export const print = async () => {
  console.log(
    lines(await Sandbox.targets())
      .slice(1)
      .join("\n")
  )
}

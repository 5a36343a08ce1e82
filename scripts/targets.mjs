// `npm run targets`: every target of the chain that `npm start` serves, in place of `token/0x…` in its `curl` lines.
import * as Bundle from "./start/bundle.mjs"

const { print } = await Bundle.load("targets")
await print()

import { spawn } from "node:child_process"
import { Effect } from "effect"
import { Refusal } from "./Refusal.js"

/**
 * Runs a program with its arguments, which are divided by spaces, without a shell: nothing of what is found on a chain is
 * ever part of the command. It gets `input` on standard input and `variables` in its environment, and its output is that
 * of this process. Fails where it cannot be started or does not end with 0; it ends when it is not waited for any more.
 */
export const run = (options: {
  readonly command: string
  readonly input: string
  readonly settings: { readonly [name: string]: string | undefined }
  readonly variables: { readonly [name: string]: string }
}): Effect.Effect<void, Refusal> =>
  Effect.async((resume) => {
    const [program = "", ...args] = options.command.split(" ").filter((word) => word !== "")
    const child = spawn(program, args, {
      shell: false,
      stdio: ["pipe", "inherit", "inherit"],
      env: { ...options.settings, ...options.variables }
    })
    const fail = (what: string) =>
      resume(new Refusal({ detail: `the command of --exec ${what}; check ${JSON.stringify(program)}` }))
    child.once("error", () => fail("could not be started"))
    child.once("close", (code, signal) => (code === 0 ? resume(Effect.void) : fail(`ended with ${code ?? signal}`)))
    // It need not read what changed.
    child.stdin.once("error", () => {})
    child.stdin.end(options.input)
    return Effect.sync(() => {
      child.kill()
    })
  })

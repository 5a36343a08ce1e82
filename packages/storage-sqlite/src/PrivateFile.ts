import { chmodSync, closeSync, existsSync, openSync, statSync } from "node:fs"
import { Effect } from "effect"

/**
 * Makes an empty file that only its owner may read and write, where there is none. SQLite gives what it makes beside a
 * database the mode of that.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (path: string, mode = 0o600): void => {
  if (!existsSync(path)) closeSync(openSync(path, "a", mode))
}

/**
 * The mode that a file gets which has this one: its owner's. A file that its group may write was shared on purpose, as no
 * program makes one like that: the group keeps it, and all others lose it.
 *
 * @since 0.1.0
 * @category combinators
 */
export const modeOf = (mode: number): number => (mode & 0o020 ? mode & 0o770 : 0o600)

/**
 * Takes a file from everybody to whom `modeOf` does not give it, and warns where that is not this user's to do. A file that
 * is not there is left out.
 *
 * @since 0.1.0
 * @category combinators
 */
export const restrict = (path: string): Effect.Effect<void> =>
  Effect.try(() => {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found !== undefined && (found.mode & 0o077 & ~modeOf(found.mode)) !== 0) chmodSync(path, modeOf(found.mode))
  }).pipe(
    Effect.catchAll(() => Effect.logWarning(`Others on this machine can read ${path}, which belongs to another user`))
  )

const everyMillis = 500

/**
 * Ends this process by SIGTERM when the shell is gone by which npm started it. npm hands a signal to that shell alone,
 * which ends without handing it on, and the program would run on. Only for programs that are the one command of their
 * shell; elsewhere a shell may leave a program behind on purpose. `events` are the names under which npm runs them.
 */
export const follow = (events: ReadonlyArray<string>): void => {
  const { npm_lifecycle_event: event } = process.env
  // On Windows the parent of a process stays the same when it is gone.
  if (event === undefined || !events.includes(event) || process.platform === "win32") return
  const shell = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(timer)
    process.kill(process.pid, "SIGTERM")
  }, everyMillis)
  timer.unref()
}

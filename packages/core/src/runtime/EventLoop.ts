/** @internal */

type Later = (run: () => void) => () => void

const byImmediate: Later = (run) => {
  const handle = setImmediate(run)
  return () => clearImmediate(handle)
}

/** For browsers and workers, where a timer waits 4 ms. */
export const byChannel: Later = (run) => {
  const { port1, port2 } = new MessageChannel()
  let isWanted = true
  // Node's types know the ports of its own module alone, which have no such member.
  Object.assign(port1, {
    onmessage: () => {
      port1.close()
      if (isWanted) run()
    }
  })
  port2.postMessage(undefined)
  return () => {
    isWanted = false
  }
}

const byTimer: Later = (run) => {
  const handle = setTimeout(run, 0)
  return () => clearTimeout(handle)
}

/** Runs something in a later turn of the event loop, which first does what waits there. Gives what takes it back. */
export const later: Later =
  typeof setImmediate === "function" ? byImmediate : typeof MessageChannel === "function" ? byChannel : byTimer

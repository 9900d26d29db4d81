/** The signals that end a command: Ctrl-C, `kill`, and the end of the terminal. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Calls `act` when a signal is about to end the process, which ends when `act` has. @returns a function that stops it */
export const beforeSignal = (act: () => void | Promise<void>): (() => void) =>
  atFirstSignal((signal) => {
    const isOver = act()
    const kill = () => process.kill(process.pid, signal)
    if (isOver === undefined) kill()
    else void isOver.finally(kill)
  })

/**
 * Runs work that a signal interrupts. When the work has removed what is half done and has failed, the signal ends the process. The next
 * signal ends it at once.
 */
export async function interruptible<R>(work: (signal: AbortSignal) => Promise<R>): Promise<R> {
  const interruption = new AbortController()
  let received: NodeJS.Signals | undefined
  const stop = atFirstSignal((signal) => {
    received = signal
    interruption.abort()
  })
  try {
    return await work(interruption.signal)
  } catch (error) {
    if (received !== undefined) process.kill(process.pid, received)
    throw error
  } finally {
    stop()
  }
}

/** Calls `act` at the first signal; the next one ends the process at once. @returns a function that stops it */
function atFirstSignal(act: (signal: NodeJS.Signals) => void): () => void {
  const stop = () => {
    for (const signal of signals) process.off(signal, end)
  }
  const end = (signal: NodeJS.Signals) => {
    stop()
    act(signal)
  }
  for (const signal of signals) process.on(signal, end)
  return stop
}

/** Calls `act` when a signal is about to end the process. @returns a function that stops it */
export function beforeSignal(act: () => void): () => void {
  const signals = ['SIGINT', 'SIGTERM'] as const
  const stop = () => {
    for (const signal of signals) process.off(signal, end)
  }
  const end = (signal: NodeJS.Signals) => {
    stop()
    act()
    process.kill(process.pid, signal)
  }
  for (const signal of signals) process.on(signal, end)
  return stop
}

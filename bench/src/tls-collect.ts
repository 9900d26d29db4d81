/** Loaded into svc with --expose-gc: collects garbage at SIGUSR2, so that the memory of two processes can be compared. */
process.on('SIGUSR2', () => {
  globalThis.gc?.({ type: 'major', execution: 'sync' })
})

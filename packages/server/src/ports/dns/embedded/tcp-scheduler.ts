/** Milliseconds of work before the event loop runs again, so that TCP clients do not delay UDP and the API. */
const budgetMs = 2

/** Work that is done piece by piece, one piece of each worker in turn. */
export interface Worker {
  /** Does one piece, of less than a few milliseconds. Adds itself again if there is more. */
  work(): void
}

/** Shares the event loop between the TCP connections, and leaves it to others in between. */
export class TcpTurns {
  private readonly ready = new Set<Worker>()
  private scheduled = false

  add(worker: Worker): void {
    this.ready.add(worker)
    if (this.scheduled) return
    this.scheduled = true
    setImmediate(() => {
      this.run()
    })
  }

  remove(worker: Worker): void {
    this.ready.delete(worker)
  }

  private run(): void {
    this.scheduled = false
    const end = performance.now() + budgetMs
    for (const worker of this.ready) {
      // One that adds itself again comes after all others.
      this.ready.delete(worker)
      worker.work()
      if (performance.now() > end) break
    }
    const [next] = this.ready
    if (next !== undefined) this.add(next)
  }
}

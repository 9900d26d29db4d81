/** Milliseconds of work before other events are handled, so that TCP clients do not delay UDP and the API. */
const budgetMs = 2

/** A task that is done in slices. */
export interface Task {
  /** Runs one slice of at most a few milliseconds. The task adds itself to the scheduler again if more work remains. */
  runSlice(): void
}

/** Round-robin scheduler of the TCP connections, which lets the event loop handle other events in between. */
export class TcpScheduler {
  private readonly ready = new Set<Task>()
  private scheduled = false

  add(task: Task): void {
    this.ready.add(task)
    if (this.scheduled) return
    this.scheduled = true
    setImmediate(() => {
      this.run()
    })
  }

  remove(task: Task): void {
    this.ready.delete(task)
  }

  private run(): void {
    this.scheduled = false
    const end = performance.now() + budgetMs
    for (const task of this.ready) {
      // Before the slice: a task that adds itself again comes after all others.
      this.ready.delete(task)
      task.runSlice()
      if (performance.now() > end) break
    }
    const [next] = this.ready
    if (next !== undefined) this.add(next)
  }
}

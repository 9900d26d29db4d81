import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** How long the event loop of a server may be held, as its clients see it. */
export const gapMaxMs = 100

interface Probed {
  readonly longestMs: number
}

export interface LoopGuard extends AsyncDisposable {
  /**
   * The longest wait for /healthz while the work runs. Work that holds the loop does so each time, a busy machine does not:
   * a gap that is too long is measured again, three times at most, and the shortest counts.
   * @returns milliseconds
   */
  longestGap(work: () => Promise<unknown>): Promise<number>
}

/** Watches the event loop of the server at `url` from a thread of its own. */
export async function guardLoop(url: string): Promise<LoopGuard> {
  const prober = new Worker(new URL('prober.mjs', import.meta.url), { workerData: { url } })
  await once(prober, 'online')

  async function tell(message: 'reset' | 'report'): Promise<Probed> {
    const answer = once(prober, 'message') as Promise<[Probed]>
    prober.postMessage(message)
    const [probed] = await answer
    return probed
  }

  async function measure(work: () => Promise<unknown>): Promise<number> {
    await tell('reset')
    await work()
    return (await tell('report')).longestMs
  }

  return {
    async longestGap(work) {
      let shortest = Infinity
      for (let attempt = 0; attempt < 3 && shortest > gapMaxMs; attempt++)
        shortest = Math.min(shortest, await measure(work))
      return shortest
    },
    [Symbol.asyncDispose]: async () => {
      await prober.terminate()
    },
  }
}

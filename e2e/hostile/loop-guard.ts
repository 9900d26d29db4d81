import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** The longest acceptable wait of a client for a blocked event loop. */
export const gapMaxMs = 100

interface Probed {
  readonly longestMs: number
}

export interface LoopGuard extends AsyncDisposable {
  /**
   * The longest wait for /healthz while the work runs. Work that blocks the loop does so every time; a busy machine does
   * not. Therefore a gap beyond `gapMaxMs` is measured up to three times, and the shortest counts.
   * @returns milliseconds
   */
  longestGap(work: () => Promise<unknown>): Promise<number>
}

/** Monitors the event loop of the server at `url` from a separate thread. */
export async function guardLoop(url: string): Promise<LoopGuard> {
  const prober = new Worker(new URL('prober.mjs', import.meta.url), { workerData: { url } })
  await once(prober, 'online')

  async function request(message: 'reset' | 'report'): Promise<Probed> {
    const answer = once(prober, 'message') as Promise<[Probed]>
    prober.postMessage(message)
    const [probed] = await answer
    return probed
  }

  async function measure(work: () => Promise<unknown>): Promise<number> {
    await request('reset')
    await work()
    return (await request('report')).longestMs
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

import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** The longest acceptable wait of a client for a blocked event loop. */
export const gapMaxMs = 100

/** Attempts of `longestGap`. */
const attemptsMax = 5

interface Probed {
  readonly longestMs: number
}

export interface LoopGuard extends AsyncDisposable {
  /**
   * The longest wait for /healthz while the work runs, without the time in which the server waited for a core: other programs cause
   * it. Work that blocks the loop does so every time. Therefore a gap beyond `gapMaxMs` is measured up to five times, and the
   * shortest counts.
   * @returns milliseconds
   */
  longestGap(work: () => Promise<unknown>): Promise<number>
}

/** A question of the nameserver, which has an answer with a record. */
interface ProbeQuestion {
  readonly port: number
  readonly packet: Buffer
}

/**
 * Monitors the event loop of the server at `url` from a separate thread.
 * @param pid of the server @param question asked over UDP, instead of requests for /healthz
 */
export async function guardLoop(url: string, pid: number | undefined, question?: ProbeQuestion): Promise<LoopGuard> {
  const prober = new Worker(new URL('prober.mjs', import.meta.url), { workerData: { url, pid, question } })
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
      for (let attempt = 0; attempt < attemptsMax && shortest > gapMaxMs; attempt++)
        shortest = Math.min(shortest, await measure(work))
      return shortest
    },
    [Symbol.asyncDispose]: async () => {
      await prober.terminate()
    },
  }
}

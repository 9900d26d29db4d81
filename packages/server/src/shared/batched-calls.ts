/** The most calls that wait: more could not be served in time. */
const waitingMax = 10_000

/** After this time, the next batch begins beside the running one. */
const slowMs = 100

/** Batches that run at the same time, if all but the newest are slow. */
const runningMax = 4

/**
 * If a batch fails, calls that have waited longer than this fail too, in milliseconds. A database that does not answer would
 * otherwise delay them by another batch.
 */
const patienceMs = 1_000

interface Call<I, O> {
  readonly input: I
  /** On the clock of `performance.now()`, in milliseconds. */
  readonly since: number
  readonly resolve: (output: O) => void
  readonly reject: (error: unknown) => void
}

export const fulfilled = <T>(value: T): PromiseSettledResult<T> => ({ status: 'fulfilled', value })

/**
 * Runs calls in batches. Calls that arrive while a batch runs form the next one. So a single call does not wait, and many calls share the
 * cost of a batch. A slow batch does not hold up the next one.
 * @param run runs a batch. It returns one outcome for each input, in their order. If it throws, all calls of the batch fail.
 * @param batchMax the largest number of calls in a batch
 * @throws Error if 10,000 calls wait already
 */
export function batchedCalls<I, O>(
  run: (inputs: readonly I[]) => Promise<readonly PromiseSettledResult<O>[]>,
  batchMax: number,
): (input: I) => Promise<O> {
  let waiting: Call<I, O>[] = []
  let running = 0
  /** Whether the newest batch runs and is not slow. */
  let isBusy = false

  function runNext(): void {
    if (isBusy || running >= runningMax || waiting.length === 0) return
    const batch = waiting.slice(0, batchMax)
    waiting = waiting.slice(batchMax)
    void runBatch(batch)
  }

  async function runBatch(batch: readonly Call<I, O>[]): Promise<void> {
    running += 1
    isBusy = true
    let isNewest = true
    const letNextBegin = () => {
      if (isNewest) isBusy = false
      isNewest = false
      runNext()
    }
    const slow = setTimeout(letNextBegin, slowMs)
    try {
      settle(batch, await run(batch.map(({ input }) => input)))
    } catch (error) {
      const late = performance.now() - patienceMs
      for (const { reject } of [...batch, ...waiting.filter(({ since }) => since < late)]) reject(error)
      waiting = waiting.filter(({ since }) => since >= late)
    }
    clearTimeout(slow)
    running -= 1
    letNextBegin()
  }

  return (input) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= waitingMax) {
        reject(new Error(`${waitingMax} calls are waiting already.`))
        return
      }
      waiting.push({ input, since: performance.now(), resolve, reject })
      runNext()
    })
}

/** @throws Error if the number of outcomes is not that of the calls */
function settle<I, O>(batch: readonly Call<I, O>[], outcomes: readonly PromiseSettledResult<O>[]): void {
  if (outcomes.length !== batch.length) throw new Error('A batch must have one outcome for each of its calls.')
  for (const [index, { resolve, reject }] of batch.entries()) {
    const outcome = outcomes[index] as PromiseSettledResult<O>
    if (outcome.status === 'fulfilled') resolve(outcome.value)
    else reject(outcome.reason)
  }
}

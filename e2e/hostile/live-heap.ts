import { setTimeout as sleep } from 'node:timers/promises'

/** Measures the live objects of a process of Node.js. Its resident memory would tell of garbage, which V8 collects at its own time. */

interface Answer {
  readonly id: number
  readonly result: { readonly result?: { readonly value?: unknown } }
}

/**
 * Opens the inspector of a process, collects its garbage, and reads its heap.
 * @param port that NODE_OPTIONS=--inspect-port of the process names @returns megabytes
 */
export async function liveHeapMiB(pid: number, port: number): Promise<number> {
  process.kill(pid, 'SIGUSR1')
  const socket = new WebSocket(await debuggerUrl(port))
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', () => reject(new Error('The inspector does not answer.')))
  })
  let calls = 0
  const call = (method: string, params: object = {}) =>
    new Promise<Answer['result']>((resolve) => {
      const id = ++calls
      socket.addEventListener('message', ({ data }) => {
        const answer = JSON.parse(String(data)) as Answer
        if (answer.id === id) resolve(answer.result)
      })
      socket.send(JSON.stringify({ id, method, params }))
    })
  await call('HeapProfiler.collectGarbage')
  const used = await call('Runtime.evaluate', { expression: 'process.memoryUsage().heapUsed', returnByValue: true })
  socket.close()
  return Number(used.result?.value) / 2 ** 20
}

/** The inspector listens soon after the signal. */
async function debuggerUrl(port: number): Promise<string> {
  for (let attempt = 0; ; attempt++) {
    try {
      const targets = (await (await fetch(`http://127.0.0.1:${String(port)}/json`)).json()) as {
        readonly webSocketDebuggerUrl: string
      }[]
      return targets[0]!.webSocketDebuggerUrl
    } catch (error) {
      if (attempt >= 100) throw error
      await sleep(50)
    }
  }
}

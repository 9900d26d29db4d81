import { request, Agent } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

// Requests /healthz every 5 ms from a thread with a separate event loop, and records the longest wait for an answer. From 'reset' to
// 'report' only: the requests take a tenth of a core.

const { url } = workerData
const everyMs = 5
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
let longestMs = 0
let isProbing = false

function requestHealth() {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/healthz`, { agent }, (response) => {
      response.resume()
      response.on('end', () =>
        response.statusCode === 200 ? resolve() : reject(new Error(String(response.statusCode))),
      )
    })
    sent.on('error', reject)
    sent.end()
  })
}

/** Called after each answer. */
let answered = () => undefined

async function probe() {
  while (isProbing) {
    const due = performance.now()
    await requestHealth()
    longestMs = Math.max(longestMs, performance.now() - due)
    answered()
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}

let probing = Promise.resolve()

parentPort.on('message', async (message) => {
  if (message === 'reset') {
    longestMs = 0
    isProbing = true
    probing = probe()
  } else {
    // The block may still last: the answer after it tells.
    await new Promise((resolve, reject) => {
      answered = resolve
      probing.catch(reject)
    })
    isProbing = false
    await probing
  }
  parentPort.postMessage({ longestMs })
})

import { createSocket } from 'node:dgram'
import { readFileSync } from 'node:fs'
import { request, Agent } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

// Requests /healthz every 5 ms from a thread with a separate event loop, or asks the nameserver a question every 50 ms, and records the
// longest wait for an answer. From 'reset' to 'report' only: the requests take a tenth of a core. The time in which a thread was runnable
// without a core does not count: other programs had the core.

const { url, pid, question } = workerData
const threads = [`/proc/${pid}/task/${pid}`, '/proc/thread-self']
const everyMs = question === undefined ? 5 : 50
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

/** Asks over UDP; a packet that the kernel drops is asked again after a second, which counts. */
function askNameserver() {
  const socket = createSocket('udp4')
  return new Promise((resolve, reject) => {
    const send = () => socket.send(question.packet)
    const timer = setInterval(send, 1000)
    const end = (settle, value) => {
      clearInterval(timer)
      socket.close()
      settle(value)
    }
    socket.on('error', (error) => end(reject, error))
    socket.on('message', (answer) =>
      Buffer.from(answer).readUInt16BE(6) > 0 ? end(resolve) : end(reject, new Error('The answer has no record.')),
    )
    socket.connect(question.port, '127.0.0.1', send)
  })
}

const ask = question === undefined ? requestHealth : askNameserver

/** How long the server's main thread, and this one, have run and have waited for a core, in milliseconds (Linux, Documentation/scheduler/sched-stats). */
const schedStats = () =>
  threads.map((thread) => {
    const [ran, queued] = readFileSync(`${thread}/schedstat`, 'utf8').split(' ')
    return { ran: Number(ran) / 1e6, queued: Number(queued) / 1e6 }
  })

/** Called after each answer. */
let answered = () => undefined

async function probe() {
  while (isProbing) {
    const due = performance.now()
    const before = schedStats()
    await ask()
    const waitedMs = performance.now() - due
    // Both may have waited at the same time after the answer was sent, so only the longer wait counts.
    const after = schedStats()
    const queued = Math.max(...after.map((stat, thread) => stat.queued - before[thread].queued))
    // With many packets, other threads of the server wait for cores too, and the main thread for them: only its CPU time counts.
    const ran = question === undefined ? Infinity : after[0].ran - before[0].ran
    longestMs = Math.max(longestMs, Math.min(waitedMs - queued, ran))
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

import { createSocket } from 'node:dgram'
import { parentPort, workerData } from 'node:worker_threads'
import dnsPacket from 'dns-packet'

// Sends DNS queries from a thread with a separate event loop, at a steady rate, and checks that every answer is of one generation, and
// that none is of an older generation than the answer before it: such an answer would show a part of a batch. The second and
// the third part of an address are its generation.

const { port, names, sizes, perSecond } = workerData
const everyMs = 4
/** Beyond these, queries wait: an answer that is late must not be lost. */
const inFlightMax = 500

const packets = names.map((name, id) =>
  dnsPacket.encode({
    id,
    type: 'query',
    questions: [{ name, type: 'A' }],
    additionals: [{ type: 'OPT', name: '.', udpPayloadSize: 1232 }],
  }),
)
const socket = createSocket('udp4')
const began = performance.now()
let sent = 0
let answered = 0
let newest = -1
const problems = []

const generationOf = (address) => {
  const parts = String(address).split('.')
  return Number(parts[1]) * 256 + Number(parts[2])
}

socket.on('message', (message) => {
  answered++
  const { id, answers } = dnsPacket.decode(message)
  const generations = new Set(answers.map(({ data }) => generationOf(data)))
  const [generation = -1] = generations
  if (generations.size !== 1 || answers.length !== sizes[id] || generation < newest)
    problems.push(`${names[id]}: ${answers.length} records of ${[...generations].join(' and ')} after ${newest}`)
  newest = Math.max(newest, generation)
})

socket.connect(port, '127.0.0.1', () => {
  const timer = setInterval(() => {
    const due = ((performance.now() - began) / 1000) * perSecond
    while (sent < due && sent - answered < inFlightMax) socket.send(packets[sent++ % packets.length])
  }, everyMs)
  parentPort.once('message', () => {
    clearInterval(timer)
    const seconds = (performance.now() - began) / 1000
    parentPort.postMessage({ answered, perSecond: answered / seconds, newest, problems: problems.slice(0, 5) })
    socket.close()
  })
  parentPort.postMessage('ready')
})

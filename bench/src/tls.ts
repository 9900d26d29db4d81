import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect as connectTcp } from 'node:net'
import { join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'node:tls'
import { clientHello } from '../../test/servers/client-hello.js'
import { freePort } from '../../test/servers/process.js'
import { nameOf, writeCertificates } from './certificates.js'
import { cpuMilliseconds } from './cpu-time.js'
import { checkLimit, p99, printInfo } from './measure.js'
import { addAccount, startBareServer, startSvc, type Program } from './programs.js'
import { checkCpu, measureSides, printCpu, requestSide, type Side } from './request-side.js'

const names = 10_000
const handshakes = 1_000
const flooding = 2_000

interface TlsProgram extends Program {
  readonly port: number
}

/** HTTPS by svc itself: requests against plain HTTP, handshakes, and the memory of many certificates. */
export async function benchTls(folder: string): Promise<void> {
  const data = join(folder, 'tls')
  const token = await addAccount(data)
  const few = join(folder, 'few')
  const many = join(folder, 'many')
  writeCertificates(few, 0)
  writeCertificates(many, names)
  const svc = await startTls(data, few)
  const secure = { ...svc, url: `https://localhost:${String(svc.port)}` }
  const bare = await startBareServer(join(folder, 'bare-http.log'))
  const bareSecure = await startBareServer(join(folder, 'bare-https.log'), 'https', join(few, 'localhost.pem'))
  const me = (program: Pick<Program, 'url' | 'pid'>) => requestSide('HTTP', program, '/v1/account/me', { token })
  const [plain, tls] = [me(svc), me(secure)]
  const [node, nodeTls] = [requestSide('node:http', bare, '/'), requestSide('node:https', bareSecure, '/')]
  await measureSides(9, [plain, tls, node, nodeTls])
  await Promise.all([bare.stop(), bareSecure.stop()])
  printCpu('`GET /v1/account/me` over HTTP', plain)
  checkCpu('`GET /v1/account/me` over TLS, kept alive', tls, plain, 1.1)
  printCpu('node:http alone', node)
  checkCpu('node:https alone', nodeTls, node, 2)
  const added = (one: Side, without: Side) => `${((one.cpu.seconds - without.cpu.seconds) * 1e6).toFixed(1)} µs of CPU`
  printInfo('TLS adds to a request', `${added(tls, plain)}; in node:https ${added(nodeTls, node)}`)
  checkLimit('handshake of another network in a flood, p99', await duringFlood(svc.port), { below: 50 }, ' ms')
  await sleep(1_000)
  const before = residentMegabytes(svc.pid)
  await svc.stop()
  await measureNames(await startTls(data, many), before)
}

async function startTls(data: string, certificates: string): Promise<TlsProgram> {
  const port = await freePort()
  const url = ['--public-url', `https://localhost:${String(port)}`]
  const flags = [
    '--tls-port',
    String(port),
    '--tls-cert',
    certificates,
    '--http-port',
    '0',
    '--connections-max',
    '10000',
    ...url,
  ]
  return { ...(await startSvc(data, flags)), port }
}

/** @param before the memory of a server with one certificate */
async function measureNames(svc: TlsProgram, before: number): Promise<void> {
  const each = async (name: (index: number) => string) => {
    const from = cpuMilliseconds([svc.pid]).get(svc.pid) ?? NaN
    for (let index = 0; index < handshakes; index++) await handshake(svc.port, name(index))
    return ((cpuMilliseconds([svc.pid]).get(svc.pid) ?? NaN) - from) / handshakes
  }
  await sleep(10_000)
  checkLimit('CPU of the first handshake for a name', await each(nameOf), { below: 3 }, ' ms')
  checkLimit('CPU of a later handshake', await each(() => nameOf(1)), { below: 0.6 }, ' ms')
  await sleep(2_000)
  const megabytes = residentMegabytes(svc.pid) - before
  checkLimit(`memory for ${String(names)} certificates, 400 of them in use`, megabytes, { below: 60 }, ' MB')
  await svc.stop()
}

/** @returns milliseconds */
async function handshake(port: number, servername: string, localAddress = '127.0.0.1'): Promise<number> {
  const from = performance.now()
  const below = connectTcp({ port, host: '127.0.0.1', localAddress })
  const socket = connect({ socket: below, servername, rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const ms = performance.now() - from
  socket.destroy()
  await once(socket, 'close')
  return ms
}

/** The p99 of handshakes while another network begins 2,000 at once, again and again. */
async function duringFlood(port: number): Promise<number> {
  const hello = await clientHello()
  const times: number[] = []
  let isOver = false
  const flood = async () => {
    while (!isOver) {
      const ended: Promise<unknown>[] = []
      for (let count = 0; count < flooding; count++) {
        ended.push(begin(port, hello))
        if (count % 50 === 0) await nextTurn()
      }
      await Promise.all(ended)
    }
  }
  const flooded = flood()
  while (times.length < 200) times.push(await handshake(port, 'localhost', '127.0.9.1'))
  isOver = true
  await flooded
  return p99(times)
}

/** Begins a handshake, and ends the connection at the answer. */
async function begin(port: number, hello: Buffer): Promise<void> {
  const socket = connectTcp({ port, host: '127.0.0.1' })
  socket.on('error', () => socket.destroy())
  socket.once('data', () => socket.destroy())
  socket.write(hello)
  await new Promise<void>((resolve) => socket.once('close', () => resolve()))
}

const residentMegabytes = (pid: number): number =>
  (Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1]) * 1_024) / 1e6

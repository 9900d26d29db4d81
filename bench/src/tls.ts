import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect as connectTcp } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../test/servers/process.js'
import { nameOf, writeCertificates } from './certificates.js'
import { cpuMilliseconds } from './cpu-time.js'
import { checkLimit, median, p99, printInfo } from './measure.js'
import { addAccount, pin, startBareServer, startSvc, type Program } from './programs.js'
import { checkCpu, measureSides, printCpu, requestSide, type Side } from './request-side.js'

const names = 10_000
const handshakes = 1_000

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
  await bare.stop()
  printCpu('`GET /v1/account/me` over HTTP', plain)
  checkCpu('`GET /v1/account/me` over TLS, kept alive', tls, plain, 1.1)
  printCpu('node:http alone', node)
  checkCpu('node:https alone', nodeTls, node, 2)
  const added = (one: Side, without: Side) => `${((one.cpu.seconds - without.cpu.seconds) * 1e6).toFixed(1)} µs of CPU`
  printInfo('TLS adds to a request', `${added(tls, plain)}; in node:https ${added(nodeTls, node)}`)
  checkLimit('handshake of another network in a flood, p99', await duringFlood(svc.port), { below: 50 }, ' ms')
  const startMs = svc.startMs
  await svc.stop()
  const withMany = await startTls(data, many)
  const added10k = (withMany.startMs - startMs) / 1_000
  checkLimit(`start with ${String(names)} certificates, beyond that with one`, added10k, { below: 3 }, ' s')
  await idle(withMany.pid)
  await measureNames(withMany, bareSecure)
  await Promise.all([withMany.stop(), bareSecure.stop()])
  const megabytes = await memoryOfNames(data, few, many)
  checkLimit(`memory for ${String(names)} certificates, 400 of them in use`, megabytes, { below: 60 }, ' MB')
}

/** A prefix for svc, which then collects garbage at SIGUSR2. */
const collecting = [
  'env',
  `NODE_OPTIONS=--expose-gc --import=${new URL('tls-collect.ts', import.meta.url).href}`,
  ...pin(0),
]

async function startTls(data: string, certificates: string, under?: readonly string[]): Promise<TlsProgram> {
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
  return { ...(await startSvc(data, flags, under)), port }
}

/** Waits until a program has nothing to do: after a start, svc checks the keys of certificates. */
async function idle(pid: number): Promise<void> {
  const cpu = () => cpuMilliseconds([pid]).get(pid) ?? NaN
  for (let before = -Infinity, now = cpu(); now - before > 30; now = cpu()) {
    before = now
    await sleep(1_000)
  }
}

async function measureNames(svc: TlsProgram, bare: Program): Promise<void> {
  const each = async (port: number, pid: number, name: (index: number) => string) => {
    const from = cpuMilliseconds([pid]).get(pid) ?? NaN
    for (let index = 0; index < handshakes; index++) await handshake(port, name(index))
    return ((cpuMilliseconds([pid]).get(pid) ?? NaN) - from) / handshakes
  }
  checkLimit('CPU of the first handshake for a name', await each(svc.port, svc.pid, nameOf), { below: 3 }, ' ms')
  const sides = { svc: [] as number[], bare: [] as number[] }
  for (let round = 0; round < 4; round++) {
    sides.svc.push(await each(svc.port, svc.pid, () => nameOf(1)))
    sides.bare.push(await each(Number(new URL(bare.url).port), bare.pid, () => 'localhost'))
  }
  checkLimit('CPU of a later handshake', median(sides.svc), { below: 0.6 }, ' ms')
  printInfo('CPU of a handshake in node:https alone', `${median(sides.bare).toFixed(2)} ms`)
}

/**
 * The resident memory of new processes after the same handshakes and a collection of garbage: with many certificates, and with one.
 * @returns megabytes, the median of the differences
 */
async function memoryOfNames(data: string, few: string, many: string): Promise<number> {
  const memory = async (certificates: string, name: (index: number) => string) => {
    const svc = await startTls(data, certificates, collecting)
    for (let index = 0; index < handshakes; index++) await handshake(svc.port, name(index))
    await idle(svc.pid)
    // V8 keeps emptied pages for eight seconds.
    await sleep(2_000)
    process.kill(svc.pid, 'SIGUSR2')
    await sleep(10_000)
    const megabytes = residentMegabytes(svc.pid)
    await svc.stop()
    return megabytes
  }
  const differences: number[] = []
  for (let round = 0; round < 3; round++)
    differences.push((await memory(many, nameOf)) - (await memory(few, () => 'localhost')))
  return median(differences)
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

/** The p99 of handshakes while another network begins 2,000 at once, again and again, from a process with the lowest priority. */
async function duringFlood(port: number): Promise<number> {
  const file = fileURLToPath(new URL('tls-flood.ts', import.meta.url))
  const args = ['-n', '19', 'node', '--import', 'tsx', file, String(port)]
  const flood = spawn('nice', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    await once(flood.stdout, 'data')
    const times: number[] = []
    while (times.length < 500) times.push(await handshake(port, 'localhost', '127.0.9.1'))
    // Without the first ones, whose code is not compiled yet.
    return p99(times.slice(100))
  } finally {
    flood.kill('SIGKILL')
  }
}

const residentMegabytes = (pid: number): number =>
  (Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1]) * 1_024) / 1e6

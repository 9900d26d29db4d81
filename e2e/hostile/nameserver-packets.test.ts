import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { svc } from '../../packages/cli/test/svc.js'
import { ask, queryPacket } from '../../packages/server/test/dns-ask.js'
import type { TsigKey } from '../../packages/server/src/ports/dns/wire/tsig.js'
import { freePort } from '../../test/servers/index.js'
import { RandomPackets } from './dns-packets.js'
import { guardedServer, recordsPath, zone } from './guarded-server.js'
import { liveHeapMiB } from './live-heap.js'
import { gapMaxMs, guardLoop, type LoopGuard } from './loop-guard.js'
import { sendTcp, sendUdp } from './packet-senders.js'
import { isLong, random } from './random.js'

/** Random signed, damaged and repeated messages for a real process. `npm run test:long` sends a million of them. */

const slices = isLong ? 20 : 1
const perSlice = isLong ? 50_000 : 2_000
const senders = { udp: 6, tcp: 6 }

const large = 'large-zone.com'
const scratch = 'scratch-zone.com'
const numbers = random('packets for the nameserver')
const port = await freePort()
const { place, serving, post, url } = guardedServer('sqlite', '--dns-port', String(port))
const inspectPort = await freePort()
vi.stubEnv('NODE_OPTIONS', `--inspect-port=${String(inspectPort)}`)
/** How many answers over UDP had each RCODE. */
const rcodes = new Map<number, number>()
let guard: LoopGuard
let packets: RandomPackets

beforeAll(async () => {
  for (const name of [large, scratch]) expect((await post('/v1/dns/zones', { zone: name }))?.status).toBe(200)
  expect((await post(recordsPath, { type: 'A', host: 'www', value: '192.0.2.1' }))?.status).toBe(200)
  const text = Array.from({ length: isLong ? 9000 : 500 }, (_, n) => `h${String(n)} 300 IN A 192.0.2.1\n`).join('')
  expect((await post(`/v1/dns/zones/${large}/zone-file/import`, { text }))?.status).toBe(200)
  packets = new RandomPackets({
    numbers,
    keys: [
      await keyOf('token', 'tsig', 'ada@example.com', '--name', 'reads', '--scope', 'dns:read'),
      await keyOf(
        ...['token', 'tsig', 'ada@example.com', '--name', 'writes', '--scope', 'dns:write'],
        ...['--rule', JSON.stringify({ kind: 'zone', name: scratch, access: 'write' })],
      ),
      await keyOf('dns', 'key', 'add', 'ns2'),
    ],
    zones: [zone, large, 'catalog.invalid', 'unknown-zone.com', scratch],
  })
  guard = await guardLoop(url(), serving().child.pid, { port, packet: queryPacket(`www.${zone}`, 'A') })
})

afterAll(async () => {
  vi.unstubAllEnvs()
  await guard[Symbol.asyncDispose]()
})

async function keyOf(...args: string[]): Promise<TsigKey> {
  const { stdout } = await svc([...args, '--json'], place())
  const { secret, ...key } = JSON.parse(stdout) as Omit<TsigKey, 'secret'> & { readonly secret: string }
  return { ...key, secret: Buffer.from(secret, 'base64') }
}

const heapMiB = () => liveHeapMiB(serving().child.pid ?? 0, inspectPort)

/** Sends packets over UDP and TCP at the same time. @returns how many */
async function sendSlice(): Promise<number> {
  let sent = 0
  const take = (count: number) => {
    const taken = Math.min(count, perSlice - sent)
    sent += taken
    return taken
  }
  const sender = { port, packets, numbers, take }
  await Promise.all([
    ...Array.from({ length: senders.udp }, () => sendUdp(sender, `www.${zone}`, rcodes)),
    ...Array.from({ length: senders.tcp }, () => sendTcp(sender)),
  ])
  return sent
}

const serialOf = async (name: string) => (await ask(port, name, 'SOA')).answers[0]?.value

it(
  `${String(slices * perSlice)} random messages: no crash, no gap, flat memory, no error in the log, and no change outside of the rules`,
  async () => {
    const serials = await Promise.all([zone, large].map(serialOf))
    const scratchBefore = await serialOf(scratch)
    let [longestMs, sent, warmMiB] = [0, 0, 0]
    for (let slice = 0; slice < slices; slice++) {
      const gapMs = await guard.longestGap(async () => (sent += await sendSlice()))
      longestMs = Math.max(longestMs, gapMs)
      // The caches have filled.
      if (slice === Math.floor(slices / 5)) warmMiB = await heapMiB()
      if (isLong) process.stdout.write(`${String(sent)} packets, longest gap ${gapMs.toFixed(1)} ms\n`)
    }
    const endMiB = await heapMiB()
    expect(endMiB).toBeLessThan(1.1 * warmMiB + 5)
    expect(sent).toBeGreaterThanOrEqual(slices * perSlice)
    expect(longestMs).toBeLessThan(gapMaxMs)
    expect(serving().child.exitCode).toBeNull()
    expect(serving().log.filter(({ level }) => Number(level) >= 50)).toEqual([])
    expect(await Promise.all([zone, large].map(serialOf))).toEqual(serials)
    expect(await serialOf(scratch)).not.toBe(scratchBefore)
    // NOERROR, FORMERR, REFUSED and NOTAUTH
    for (const code of [0, 1, 5, 9]) expect(rcodes.get(code)).toBeGreaterThan(0)
    if (!isLong) return
    // NXDOMAIN, NOTIMP, YXDOMAIN, YXRRSET, NXRRSET, NOTZONE
    for (const code of [3, 4, 6, 7, 8, 10]) expect(rcodes.get(code)).toBeGreaterThan(0)
    process.stdout.write(`answers by RCODE: ${JSON.stringify(Object.fromEntries(rcodes))}\n`)
    process.stdout.write(`live heap: ${warmMiB.toFixed(1)} MiB, then ${endMiB.toFixed(1)} MiB\n`)
  },
  isLong ? 1_800_000 : 60_000,
)

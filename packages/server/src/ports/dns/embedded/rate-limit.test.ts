import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { random } from '../../../../../../e2e/hostile/random.js'
import { exchangeUdp, queryPacket, read } from '../../../../test/dns-ask.js'
import { Answerer } from './answer.js'
import { ApexRecords } from './apex-records.js'
import { limiterOf, rateLimitKey, RateLimiter } from './rate-limit.js'
import { SafeAnswers } from './safe-answers.js'
import { Dispatcher } from '../protocol/dispatcher.js'
import { openUdp } from './udp.js'
import { ZoneMap } from './zone-map.js'
import { Zones } from './zones.js'

describe('networks', () => {
  it.each([
    ['192.0.2.1', '192.0.2.255', true],
    ['192.0.2.1', '192.0.3.1', false],
    ['1.92.0.2', '192.0.2.1', false],
    ['2001:db8:1:200::1', '2001:db8:1:2ff:ffff::', true],
    ['2001:db8:1:200::1', '2001:db8:1:300::1', false],
    ['2001:db8::1', '2001:db8::2:0:0:1', true],
    ['2001:db8::1', '2001:db8:0:100::', false],
    ['::1', '::ffff:1', true],
    ['fe80::1%eth0', 'fe80::2%eth0', true],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::', true],
    ['::1:2:3:4:5:6:7', '0:1:2:3::', true],
  ])('%s and %s have the same network: %s', (one, other, same) => {
    expect(rateLimitKey(one) === rateLimitKey(other)).toBe(same)
  })
})

describe('the rate limit', () => {
  const seconds = { now: 0 }
  const count = (limiter: RateLimiter, address: string, queries: number) => {
    const counts = { full: 0, truncated: 0, none: 0 }
    for (let n = 0; n < queries; n++) counts[limiter.take(address)]++
    return counts
  }

  it('allows each network its answers per second; beyond that, every second answer is truncated', () => {
    const limiter = new RateLimiter(200, () => seconds.now * 1000)
    expect(count(limiter, '192.0.2.1', 1000)).toEqual({ full: 200, truncated: 400, none: 400 })
    expect(count(limiter, '192.0.2.2', 10)).toEqual({ full: 0, truncated: 5, none: 5 })
    expect(count(limiter, '198.51.100.1', 10)).toEqual({ full: 10, truncated: 0, none: 0 })
    seconds.now += 0.5
    expect(count(limiter, '192.0.2.1', 150).full).toBe(100)
    seconds.now += 100
    expect(count(limiter, '192.0.2.1', 1000).full).toBe(200)
  })

  it('the rate limit is not lifted by a query of another network', () => {
    for (let round = 0; round < 50; round++) {
      const limiter = new RateLimiter(200, () => 0)
      let full = 0
      for (let n = 0; n < 4000; n++) {
        // The two networks shared a bucket when the hash had no secret.
        if (n % 200 === 0) limiter.take('1.19.19.1')
        if (limiter.take(`203.0.113.${n % 256}`) === 'full') full++
      }
      expect(full).toBeLessThanOrEqual(200)
    }
  })

  it('the rate limit is not higher for networks that share both buckets', () => {
    let now = 0
    const limiter = new RateLimiter(
      200,
      () => now,
      () => 0,
    )
    let full = 0
    for (let n = 0; n < 20_000; n++) {
      now = n / 4
      if (limiter.take(`192.0.${n % 200}.1`) === 'full') full++
    }
    // 200 at once, then 200 in each of the five seconds.
    expect(full).toBeGreaterThanOrEqual(1198)
    expect(full).toBeLessThanOrEqual(1200)
  })

  it('rarely affects other networks while 3000 networks are flooded', () => {
    const numbers = random('rate limit')
    const limiter = new RateLimiter(
      5,
      () => 0,
      () => numbers.integer(0, 2 ** 32 - 1),
    )
    const flooded = 3000
    for (let n = 0; n < flooded; n++) count(limiter, `10.${n >> 8}.${n & 255}.1`, 20)
    let limited = 0
    const others = 20_000
    for (let n = 0; n < others; n++) {
      const address = n % 2 === 0 ? `172.${n >> 8}.${n & 255}.1` : `2001:db8:${n.toString(16)}:100::1`
      if (limiter.take(address) !== 'full') limited++
    }
    // (3000 / 65536)², plus the effect of 20,000 other networks with one answer each.
    expect(limited / others).toBeLessThan(0.01)
  })

  it('hashes networks to different buckets even if they are equal by a modulus', () => {
    // An earlier hash used the modulus 4294967291. These networks differ by multiples of it.
    const address = (network: number) => {
      const groups = [0x2000 + Math.floor(network / 2 ** 40), Math.floor(network / 2 ** 24) % 65_536]
      return `${[...groups, Math.floor(network / 2 ** 8) % 65_536, (network % 256) * 256].map((group) => group.toString(16)).join(':')}::1`
    }
    const limiter = new RateLimiter(5, () => 0)
    let limited = 0
    for (let n = 0; n < 1000; n++) if (limiter.take(address(n * 4_294_967_291)) !== 'full') limited++
    expect(limited).toBe(0)
  })

  it('does not need more memory for more networks', () => {
    const limiter = new RateLimiter(1)
    const before = process.memoryUsage().arrayBuffers
    for (let n = 0; n < 300_000; n++) limiter.take(`${1 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}.1`)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000)
  })

  it('does not apply to loopback addresses, and to no address if it is 0', () => {
    const limiter = limiterOf(1)
    for (const address of ['127.0.0.1', '127.1.2.3', '::1'])
      for (let n = 0; n < 5; n++) expect(limiter.take(address)).toBe('full')
    expect([limiter.take('192.0.2.1'), limiter.take('192.0.2.1')]).toEqual(['full', 'truncated'])
    const off = limiterOf(0)
    for (let n = 0; n < 5; n++) expect(off.take('192.0.2.1')).toBe('full')
  })

  it('sends truncated answers that are no longer than the query', async () => {
    const zones = new Zones()
    const records = [{ value: '192.0.2.1', priority: null }]
    zones.set(
      ZoneMap.of({ zone: 'rate.test', serial: 1, rrsets: [{ name: 'rate.test', type: 'A', ttl: 60, records }] }),
    )
    const log = pino({ level: 'silent' })
    const answers = new SafeAnswers(new Answerer(zones, new ApexRecords({ nameservers: ['ns.rate.test'] })), log)
    const limiter = new RateLimiter(1, () => 0)
    const dispatcher = new Dispatcher(answers, log)
    const udp = await openUdp({ host: '127.0.0.1', port: 0, answers, dispatcher, limiter, log })
    const query = queryPacket('rate.test', 'A', { edns: 1232 })
    expect(read(await exchangeUdp(query, udp.port))).toMatchObject({ tc: false, answers: { length: 1 } })
    const limited = await exchangeUdp(query, udp.port)
    expect(read(limited)).toMatchObject({ rcode: 'NOERROR', tc: true, answers: [] })
    expect(limited.length).toBe(query.length)
    await expect(exchangeUdp(query, udp.port, '127.0.0.1', 100)).rejects.toThrow()
    await udp.close()
  })
})

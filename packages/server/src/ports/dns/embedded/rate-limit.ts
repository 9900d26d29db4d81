import { randomInt } from 'node:crypto'
import { isIpv4, isLoopback, parseIpAddress } from '../../../shared/ip-address.js'

/** Buckets in each of the two halves. A network has one bucket in each half. */
const bucketCount = 65_536

/** Beyond the limit, every n-th query gets a truncated answer, so that a real resolver retries over TCP. The others are dropped. */
export const slip = 2

export type Allowance = 'full' | 'truncated' | 'none'

/** Decides how much of an answer an address gets now. */
export interface Limiter {
  take(address: string): Allowance
}

const unlimited: Limiter = { take: () => 'full' }

/**
 * Creates a limiter. Loopback addresses are not limited: they cannot be forged from outside, and behind a proxy with a rate
 * limit all queries come from them.
 * @param perSecond answers to each network; 0 for no limit
 */
export function limiterOf(perSecond: number): Limiter {
  if (perSecond === 0) return unlimited
  const limiter = new RateLimiter(perSecond)
  return { take: (address) => (isLoopback(address) ? 'full' : limiter.take(address)) }
}

/**
 * Response rate limiting: a forged source address must not turn our answers into a flood on its owner. Counts answers by
 * network, /24 and /56. Real resolvers that reach the limit retry over TCP.
 *
 * Memory is fixed, so networks share buckets. Each network has two buckets, chosen by a hash with a secret of the process. It
 * is limited when both are used up. A shared bucket is never refilled early: traffic of other networks cannot lift the limit.
 * While n networks are flooded, another network is limited too with a probability of about (n / 65536)².
 */
export class RateLimiter implements Limiter {
  /** By bucket: when it will be full again, in seconds times `perSecond`. */
  private readonly fullAt = new Float64Array(2 * bucketCount)
  private readonly first: BucketHash
  private readonly second: BucketHash
  private refused = 0

  /**
   * @param perSecond answers per second, also the most at once
   * @param now in milliseconds
   * @param random a whole number of 32 bits, uniformly distributed
   */
  constructor(
    private readonly perSecond: number,
    private readonly now: () => number = () => performance.now(),
    random: () => number = () => randomInt(2 ** 32),
  ) {
    this.first = new BucketHash(random)
    this.second = new BucketHash(random)
  }

  take(address: string): Allowance {
    const { fullAt, perSecond } = this
    const network = rateLimitKey(address)
    const first = this.first.of(network)
    const second = bucketCount + this.second.of(network)
    const clock = (this.now() / 1000) * perSecond
    const most = clock + perSecond
    const one = Math.max(fullAt[first] ?? 0, clock) + 1
    const other = Math.max(fullAt[second] ?? 0, clock) + 1
    // The margin absorbs rounding errors of fractions.
    if (Math.min(one, other) > most + 1e-6) return this.refused++ % slip === 0 ? 'truncated' : 'none'
    fullAt[first] = Math.min(one, most)
    fullAt[second] = Math.min(other, most)
    return 'full'
  }
}

/**
 * A hash from networks to buckets, chosen at random from a strongly universal family (Dietzfelbinger 1996: multiply-shift over 16-bit
 * words): any two networks share a bucket with a probability of 1 / 65536.
 */
class BucketHash {
  private readonly a: number
  private readonly b: number
  private readonly c: number
  private readonly d: number
  private readonly addend: number

  constructor(random: () => number) {
    this.a = random() | 0
    this.b = random() | 0
    this.c = random() | 0
    this.d = random() | 0
    this.addend = random() | 0
  }

  /** @param network at most 53 bits */
  of(network: number): number {
    const low = Math.imul(this.a, network & 0xffff) + Math.imul(this.b, (network >>> 16) & 0xffff) + this.addend
    if (network < 0x1_0000_0000) return low >>> 16
    const high = Math.floor(network / 0x1_0000_0000)
    return (low + Math.imul(this.c, high & 0xffff) + Math.imul(this.d, high >>> 16)) >>> 16
  }
}

/**
 * The /24 or /56 of an address, as a number that is different for different networks. ipaddr.js takes 0.3 µs for IPv4 and
 * 1.4 µs for IPv6. A separate parser took 0.04 and 1.3 µs, and a whole answer takes about 10 µs.
 */
export function rateLimitKey(text: string): number {
  const address = parseIpAddress(text)
  if (address === undefined) return 0
  if (isIpv4(address)) {
    const [a = 0, b = 0, c = 0] = address.octets
    return (a * 256 + b) * 256 + c
  }
  const [a = 0, b = 0, c = 0, d = 0] = address.parts
  // 53 bits of the 56, as many as a number holds. The first three are the same for all global unicast addresses.
  return (((a & 0x1fff) * 65_536 + b) * 65_536 + c) * 256 + (d >> 8)
}

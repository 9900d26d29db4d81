import { isIPv4 } from 'node:net'

/** Networks that are kept in mind at once; more of them share places. */
const places = 65_536

/** Of the answers beyond the limit, each n-th says "ask over TCP" instead of nothing, for those who ask in earnest. */
const slip = 2

export type Allowance = 'full' | 'truncated' | 'none'

/** How much of an answer an address gets now. */
export interface Limiter {
  take(address: string): Allowance
}

const unlimited: Limiter = { take: () => 'full' }

/**
 * Answers per second to each network; 0 for no limit. Addresses of this machine are not limited: nobody can fake them from
 * outside, and behind a proxy that limits by itself they are all there is.
 */
export function limiterOf(perSecond: number): Limiter {
  if (perSecond === 0) return unlimited
  const limiter = new RateLimiter(perSecond)
  return { take: (address) => (isLoopback(address) ? 'full' : limiter.take(address)) }
}

const isLoopback = (address: string): boolean => address.startsWith('127.') || address === '::1'

/**
 * Response rate limiting: who fakes a victim's address shall not have the victim flooded by us. Counts answers per network,
 * /24 and /56, in as much memory however many there are. Real resolvers that meet the limit go on over TCP.
 */
export class RateLimiter implements Limiter {
  private readonly networks = new Float64Array(places)
  private readonly tokens = new Float64Array(places)
  private readonly times = new Float64Array(places)
  private refused = 0

  /** @param perSecond answers, also the most at once */
  constructor(
    private readonly perSecond: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  take(address: string): Allowance {
    const network = networkOf(address)
    const place = placeOf(network)
    const now = this.now()
    const left = this.tokensLeft(network, place, now)
    this.networks[place] = network
    this.times[place] = now
    this.tokens[place] = left < 1 ? left : left - 1
    if (left >= 1) return 'full'
    return this.refused++ % slip === 0 ? 'truncated' : 'none'
  }

  private tokensLeft(network: number, place: number, now: number): number {
    // Another network's place is taken over: a flood from many shall not make us remember them all.
    if (this.networks[place] !== network) return this.perSecond
    const gained = ((now - (this.times[place] ?? 0)) / 1000) * this.perSecond
    return Math.min(this.perSecond, (this.tokens[place] ?? 0) + gained)
  }
}

/** Spread by the golden ratio: neighbours end up apart. */
const placeOf = (network: number): number => Math.imul(network % 4_294_967_291, 0x9e3779b1) >>> 16

/** The /24 or /56 of an address, as a number that is different for different networks. */
export function networkOf(address: string): number {
  return isIPv4(address) ? network4(address) : network6(address)
}

function network4(address: string): number {
  let network = 0
  let octet = 0
  for (let at = 0, dots = 0; dots < 3; at++) {
    const code = address.charCodeAt(at)
    if (code !== 0x2e) octet = octet * 10 + code - 0x30
    else {
      network = network * 256 + octet
      octet = 0
      dots++
    }
  }
  return network
}

/** 53 bits of the 56, as many as a number holds: the first three are the same for all the Internet's addresses. */
function network6(address: string): number {
  const [head = '', tail] = address.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = 8 - before.length - after.length
  const group = (n: number): number =>
    parseInt(before[n] ?? (n < before.length + zeros ? '0' : (after[n - before.length - zeros] ?? '0')), 16)
  return (((group(0) & 0x1fff) * 65_536 + group(1)) * 65_536 + group(2)) * 256 + (group(3) >> 8)
}

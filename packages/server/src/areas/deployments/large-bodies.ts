import { ContentError } from '../../http/answer.js'
import type { BodyWatch } from '../../http/area.js'
import { networkOf } from '../../shared/network-of.js'

/** Bodies up to this length are not limited: on all connections together they need 32 MiB. */
const smallMaxBytes = 16_384

/**
 * The most requests with larger bodies in memory: in a process, to the deployments of an account, to one deployment and from one network.
 * With bodies of 256 KiB each, 32, 16, 8 and 4 MiB.
 */
export const largeAtOnce = { total: 128, account: 64, deployment: 32, network: 16 } as const

interface Sender {
  readonly ip: string
  readonly deploymentId: number
  readonly accountId: number
}

/** Reads a body with the given watch. */
export type Read = <B>(body: (watch: BodyWatch) => Promise<B>) => Promise<B>

/** Runs the work of a request that reads its body with `read`. @throws ContentError 503 if the request gives way to others */
export type WithinMemory = <R>(sender: Sender, work: (read: Read) => Promise<R>) => Promise<R>

/** A request whose body is larger, or may become so. */
interface LargeRequest {
  readonly groups: readonly (readonly [name: string, max: number])[]
  /** Milliseconds, as of `now`. */
  readonly startedAt: number
  readonly abort: AbortController
  bytes: number
  /** Whether its body is still arriving: then it may give way. */
  isArriving: boolean
}

/**
 * Limits the memory that the bodies of requests without authentication need, while they are received and stored. A request counts
 * from the moment that more than 16 KiB have arrived: clients that announce a large body and send nothing do not shut out others.
 * Where there are too many, the one whose body has arrived the slowest gives way: slow clients hold no room that others need.
 */
export function largeBodies(now: () => number = () => performance.now()): WithinMemory {
  const inMemory = new Set<LargeRequest>()
  const speedOf = ({ bytes, startedAt }: LargeRequest): number => bytes / Math.max(1, now() - startedAt)
  const slower = (one: LargeRequest, other: LargeRequest) => (speedOf(other) < speedOf(one) ? other : one)

  function enter(entering: LargeRequest): void {
    // Chosen first: a request that is refused in the end must not displace another one.
    const remaining = new Set(inMemory)
    for (const [name, max] of entering.groups) {
      const group = [...remaining].filter(({ groups }) => groups.some(([other]) => other === name))
      if (group.length < max) continue
      const slowest = group.filter(({ isArriving }) => isArriving).reduce(slower, entering)
      if (slowest === entering) throw tooMany()
      remaining.delete(slowest)
    }
    for (const request of inMemory) {
      if (remaining.has(request)) continue
      inMemory.delete(request)
      request.abort.abort(tooMany())
    }
    inMemory.add(entering)
  }

  return async ({ ip, deploymentId, accountId }, work) => {
    const request: LargeRequest = {
      groups: [
        [`network ${networkOf(ip)}`, largeAtOnce.network],
        [`deployment ${String(deploymentId)}`, largeAtOnce.deployment],
        [`account ${String(accountId)}`, largeAtOnce.account],
        ['all', largeAtOnce.total],
      ],
      startedAt: now(),
      abort: new AbortController(),
      bytes: 0,
      isArriving: true,
    }
    const onLength = (bytes: number) => {
      request.bytes = bytes
      if (bytes > smallMaxBytes && !inMemory.has(request)) enter(request)
    }
    try {
      return await work(async (body) => {
        const read = await body({ onLength, signal: request.abort.signal })
        request.isArriving = false
        return read
      })
    } finally {
      inMemory.delete(request)
    }
  }
}

const tooMany = () =>
  new ContentError(503, 'Too many large requests at a time, and this one is the slowest. Try again in a second.', {
    'retry-after': '1',
  })

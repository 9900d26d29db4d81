import { randomUUID } from 'node:crypto'
import { boundedFetch, type BoundedAnswer } from '../bounded-fetch.js'
import type { ByteRange } from '../blobs/port.js'
import { EdgeError, type Edge, type EdgeAnswer, type EdgeObject } from './port.js'

const deadlineMs = 2_000

/** The answer of integrations/varnish/default.vcl is one line. */
const maxAnswerBytes = 4_096

/** Each slot has a token in the VCL. A purge of one file makes Varnish fetch the other files of its slot again. */
const slots = 256

/** Varnish accepts header lines of 8 KiB. */
const keysPerRequest = 200

const parallelRequests = 8

/**
 * A Varnish in front of svc, with integrations/varnish/default.vcl, whose README.md explains the headers.
 * @param url scheme, host and port at which svc reaches it
 */
export function varnishEdge({ url }: { readonly url: string }): Edge {
  return new VarnishEdge(url)
}

/** Checks that a Varnish accepts purges, without dropping a copy. @throws EdgeError if it does not */
export const checkVarnish = ({ url }: { readonly url: string }): Promise<void> => new VarnishEdge(url).check()

/** The VCL accepts any number of three digits. */
const unusedSlot = 999
const unusedKey = 'check'

class VarnishEdge implements Edge {
  readonly seesAllRequests = false

  constructor(private readonly url: string) {}

  findWholeCopy(): undefined {
    return undefined
  }

  /** Varnish asks only for what it does not have. */
  async open({ fetch }: EdgeObject, range: ByteRange): Promise<EdgeAnswer> {
    return { bytes: await fetch(range), isHit: false }
  }

  /** The VCL removes what is only for Varnish: other shared caches cannot be purged. */
  headers({ fileId, ttl }: Pick<EdgeObject, 'fileId' | 'ttl'>): Readonly<Record<string, string>> {
    return {
      'cache-control': `public, s-maxage=${String(ttl)}, max-age=0, must-revalidate`,
      xkey: keyOf(fileId),
      'svc-slot': String(slotOf(fileId)),
    }
  }

  /** Sends one request for one file, otherwise one for each slot and 200 files. */
  async purge(fileIds: readonly number[]): Promise<void> {
    const deadline = performance.now() + deadlineMs
    const requests = requestsFor(fileIds).values()
    const send = async () => {
      for (const request of requests) await this.#purge(request, deadline)
    }
    await Promise.all(Array.from({ length: parallelRequests }, send))
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  check(): Promise<void> {
    return this.#confirm(unusedKey, unusedSlot, deadlineMs)
  }

  #purge({ slot, ids }: PurgeRequest, deadline: number): Promise<void> {
    return this.#confirm(ids.map(keyOf).join(' '), slot, Math.max(1, deadline - performance.now()))
  }

  async #confirm(keys: string, slot: number, withinMs: number): Promise<void> {
    const id = randomUUID()
    const headers = { 'xkey-purge': keys, 'svc-slot': String(slot), 'svc-purge': id }
    const { status, text } = await this.#send(headers, withinMs)
    // With another VCL, the server behind Varnish would answer.
    if (status !== 200 || text.trim() !== `purged ${id}`)
      throw new EdgeError(`Varnish did not confirm the purge: it answered ${String(status)}.`)
  }

  async #send(headers: Readonly<Record<string, string>>, deadlineMs: number): Promise<BoundedAnswer> {
    try {
      const limits = { deadlineMs, maxBytes: maxAnswerBytes, redirects: 'error' } as const
      return await boundedFetch(`${this.url}/`, { ...limits, method: 'PURGE', headers })
    } catch (error) {
      throw new EdgeError('Varnish did not confirm the purge: it cannot be reached, or its answer is late.', {
        cause: error,
      })
    }
  }
}

interface PurgeRequest {
  readonly slot: number
  /** Files of this slot. */
  readonly ids: readonly number[]
}

function requestsFor(fileIds: readonly number[]): PurgeRequest[] {
  const requests: PurgeRequest[] = []
  const open = new Map<number, number[]>()
  for (const id of new Set(fileIds)) {
    const slot = slotOf(id)
    let ids = open.get(slot)
    if (ids === undefined || ids.length === keysPerRequest) {
      open.set(slot, (ids = []))
      requests.push({ slot, ids })
    }
    ids.push(id)
  }
  return requests
}

const keyOf = (fileId: number): string => `file-${String(fileId)}`

const slotOf = (fileId: number): number => fileId % slots

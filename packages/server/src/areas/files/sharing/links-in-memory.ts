import { LRUCache } from 'lru-cache'
import type { DownloadDescription } from '../../../http/answer.js'
import type { MemoryAnswer } from '../../../http/area.js'
import type { Edge, EdgeObject } from '../../../ports/edge/port.js'
import type { ServedLink } from '../files/read-store.js'
import type { Traffic } from './traffic-counts.js'

const linksMax = 10_000

/** A version of a shared file that the edge had in memory. */
interface KnownLink {
  readonly version: number
  readonly description: DownloadDescription
}

interface LinksDependencies {
  readonly edge: Edge
  readonly servedLink: (key: string) => Promise<ServedLink | undefined>
  readonly count: (fileId: number, traffic: Traffic) => void
}

/**
 * The headers of share links whose bytes are in memory. As for every request, the database decides whether a link is served, and in
 * which version.
 */
export class LinksInMemory {
  /** By key. */
  readonly #known = new LRUCache<string, KnownLink>({ max: linksMax })

  constructor(private readonly dependencies: LinksDependencies) {}

  /** Called when the edge has opened an object. */
  remember(key: string, object: EdgeObject, description: DownloadDescription): void {
    const { version } = object
    if (this.#known.peek(key)?.version !== version && this.dependencies.edge.findWholeCopy(object))
      this.#known.set(key, { version, description })
  }

  /** @param target the target of a request as it was sent @returns undefined if the bytes are not in memory */
  find(target: string): Promise<MemoryAnswer | undefined> | undefined {
    const key = keyIn(target)
    if (key === undefined) return undefined
    const link = this.#known.get(key)
    return link && this.#findCopy(key, link)
  }

  async #findCopy(key: string, { version, description }: KnownLink): Promise<MemoryAnswer | undefined> {
    const { edge, servedLink, count } = this.dependencies
    const link = await servedLink(key)
    const bytes = link?.version === version ? edge.findWholeCopy(link) : undefined
    if (!link || !bytes) {
      this.#known.delete(key)
      return undefined
    }
    const onSent = (bytesServed: number) => {
      if (bytesServed > 0) count(link.fileId, { requests: 1, hits: 1, misses: 0, bytesServed })
    }
    return { bytes, head: description, onSent }
  }
}

/**
 * The key in a target `/s/:key/:name`. Undefined also for a query, and for a name that the router may refuse: too long for it
 * (`maxParamLength`), or wrongly encoded.
 */
function keyIn(target: string): string | undefined {
  const [, key, name = ''] = /^\/s\/([\w-]{22})\/([\w.~!$&'()*+,=:@%-]{1,1024})$/.exec(target) ?? []
  return name.includes('%') && !isEncoded(name) ? undefined : key
}

/** Whether every `%` begins a byte, and the bytes are UTF-8. */
function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

import { LRUCache } from 'lru-cache'
import { ApiError } from '@svc/contract/errors'
import { Download } from '../../../http/answer.js'
import type { FixedHead, MemoryAnswer, SiteRequest, SiteServer } from '../../../http/area.js'
import { FollowedCache } from '../../../shared/followed-cache.js'
import { RuleMatcher } from '../rules/matcher.js'
import { locationOf } from '../rules/redirects.js'
import type { SiteRules } from '../rules/rules.js'
import { answerWith, type FileAnswer } from './file-answer.js'
import type { ContentsInMemory } from './contents-in-memory.js'
import { acceptedEncodings } from './encodings.js'
import { redirectHeaders } from './file-headers.js'
import { ask, candidatesOf, resolve, type FoundRedirect } from './resolve.js'
import { decodePath, queryOf, rawPathOf } from './site-path.js'
import type { LiveVersion, ServingStore } from './store.js'

/** The site of a host; without one, the host has no site. */
interface KnownHost {
  readonly site: Site | undefined
}

interface Site {
  readonly versionId: number
  readonly deployedAt: number
  readonly rules: RuleMatcher
}

/** What a site answers at a path, for a client that accepts certain encodings. */
type KnownAnswer = FileAnswer | { readonly redirect: FoundRedirect } | { readonly missing: 'site' | 'file' }

type Known = KnownHost | KnownAnswer

/** Of memory, with the keys of the entries. Rules have their own maximum. */
const memoryMax = 16 * 1024 * 1024
const rulesMax = 16 * 1024 * 1024
/** Of memory for an entry, besides its key. */
const entryBytes = 1024

interface SiteServerParts {
  readonly store: ServingStore
  readonly contents: ContentsInMemory
  readonly sitesDomain: string
  readonly countChanges: () => Promise<number>
}

/** Resolves requests to sites, and keeps the results until a site or a domain changes. */
export class Sites implements SiteServer {
  readonly #known: FollowedCache<string, Known>
  /** By version, which never changes. */
  readonly #rules = new LRUCache<number, RuleMatcher>({ maxSize: rulesMax })

  constructor(private readonly parts: SiteServerParts) {
    this.#known = new FollowedCache<string, Known>({
      job: { name: 'sites.follower', failureMessage: 'changes of sites by other processes could not be followed' },
      countChanges: parts.countChanges,
      limits: { maxSize: memoryMax, sizeCalculation: sizeOf },
    })
  }

  /** Follows the changes of other processes. */
  get job() {
    return this.#known.job
  }

  /** Called after each change that this process has committed. */
  noteChange(): void {
    this.#known.clear()
  }

  hasSite = async (host: string): Promise<boolean> => (await this.#siteOf(host)) !== undefined

  isOwnDomain = (host: string): boolean | Promise<boolean> => {
    const known = this.#known.get(host)
    return known && 'site' in known ? known.site !== undefined : this.hasSite(host)
  }

  findInMemory = (request: SiteRequest): MemoryAnswer | undefined => {
    const known = this.#known.get(keyOf(request))
    if (known === undefined) return undefined
    if ('head' in known) return { head: known.head, bytes: this.parts.contents.find(known.form) }
    return 'redirect' in known ? { head: headOf(known.redirect, request.target) } : undefined
  }

  answer = async (request: SiteRequest): Promise<Download | FixedHead | undefined> => {
    const known = await this.#known.load(keyOf(request), () => this.#resolve(request))
    if (known === undefined || 'site' in known) return undefined
    if ('redirect' in known) return headOf(known.redirect, request.target)
    if ('missing' in known) {
      if (known.missing === 'site') throw new ApiError('not_found', 'There is no site at this address.')
      return undefined
    }
    const { head, form } = known
    return new Download({ ...head, open: (range) => this.parts.contents.open(form, range) })
  }

  async #resolve({ host, target, encodings }: SiteRequest): Promise<KnownAnswer> {
    const site = await this.#siteOf(host)
    if (site === undefined) return { missing: 'site' }
    const path = decodePath(rawPathOf(target))
    if (path === undefined) return { missing: 'file' }
    const asked = ask(path, site.rules)
    const files = await this.parts.store.files(site.versionId, candidatesOf(asked))
    const found = resolve(asked, (name) => files.some((file) => file.path === name))
    if (found === undefined) return { missing: 'file' }
    if (!('file' in found)) return { redirect: found }
    const file = files.find((candidate) => candidate.path === found.file)
    return file === undefined
      ? { missing: 'file' }
      : answerWith(file, { path, status: found.status, site, accepted: acceptedEncodings(encodings).encodings })
  }

  async #siteOf(host: string): Promise<Site | undefined> {
    const known = await this.#known.load(host, async () => ({ site: await this.#findSite(host) }))
    return known && 'site' in known ? known.site : undefined
  }

  async #findSite(host: string): Promise<Site | undefined> {
    const { store, sitesDomain } = this.parts
    const below = `.${sitesDomain}`
    const live = await (host.endsWith(below)
      ? store.findByName(host.slice(0, -below.length))
      : store.findByDomain(host))
    return live && { ...live, rules: this.#compiled(live) }
  }

  #compiled({ versionId, rules }: LiveVersion): RuleMatcher {
    const known = this.#rules.get(versionId)
    if (known) return known
    const compiled = new RuleMatcher(JSON.parse(rules) as SiteRules)
    this.#rules.set(versionId, compiled, { size: 10 * rules.length })
    return compiled
  }
}

/** An estimate in bytes. `_headers` may give an answer hundreds of headers, which are kept in three forms. */
function sizeOf(known: Known, key: string): number {
  const headers = 'head' in known ? Object.entries(known.head.headers ?? {}) : []
  return headers.reduce(
    (sum, [name, value]) => sum + 3 * (name.length + value.length + 64),
    4 * key.length + entryBytes,
  )
}

/** Hosts alone are the keys of sites; those of answers begin with capital letters. */
const keyOf = ({ host, target, encodings }: SiteRequest): string =>
  acceptedEncodings(encodings).key + host + rawPathOf(target)

const headOf = ({ rule, captures }: FoundRedirect, target: string): FixedHead => ({
  status: rule.status,
  headers: { ...redirectHeaders, location: locationOf(rule, captures, queryOf(target)) },
})

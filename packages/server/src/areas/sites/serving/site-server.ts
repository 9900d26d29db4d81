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
import { acmeChallengePath } from '../../../shared/acme-challenge-path.js'
import { acceptedEncodings } from '../../../shared/encodings.js'
import { redirectHeaders } from './file-headers.js'
import { ask, candidatesOf, resolve, type FoundRedirect } from './resolve.js'
import { pathMax, queryOf, rawPathOf, readPath } from './site-path.js'
import type { LiveVersion, ServingStore } from './store.js'

/** The site of a host; without one, the host has no site. */
interface KnownHost {
  readonly site: LiveVersion | undefined
}

/** What a site answers at a path, for a client that accepts certain encodings. */
type KnownAnswer = FileAnswer | { readonly redirect: FoundRedirect } | { readonly missing: 'site' | 'file' }

type Known = KnownHost | KnownAnswer

/** Of memory, with the keys of the entries. Rules have their own maximum. */
const memoryMax = 16 * 1024 * 1024
const rulesMax = 16 * 1024 * 1024
/** The characters of a host, a path and the encodings. Longer keys are those of paths that no file has. */
const keyMax = 253 + pathMax + 3
/** Of memory for an entry, besides its key. */
const entryBytes = 1024

/** Any other text is not a host name, so it is not looked up in the database. */
const hostForm = /^[a-z0-9.-]{1,253}$/

interface SiteServerDependencies {
  readonly store: ServingStore
  readonly contents: ContentsInMemory
  readonly sitesDomain: string
  readonly countChanges: () => Promise<number>
}

/** Resolves requests to sites, and keeps the results until a site or a domain changes. */
export class Sites implements SiteServer {
  readonly #known: FollowedCache<string, Known>
  /** By version, which never changes. */
  readonly #rules = new LRUCache<number, RuleMatcher>({
    maxSize: rulesMax,
    // A caller gets its rules even if they are evicted meanwhile.
    ignoreFetchAbort: true,
    fetchMethod: async (versionId, _stale, { options }) => {
      const rules = await this.dependencies.store.rules(versionId)
      if (rules === undefined) return undefined
      options.size = 10 * rules.length
      return new RuleMatcher(JSON.parse(rules) as SiteRules)
    },
  })

  constructor(private readonly dependencies: SiteServerDependencies) {
    this.#known = new FollowedCache<string, Known>({
      job: { name: 'sites.follower', failureMessage: 'changes of sites by other processes could not be followed' },
      countChanges: dependencies.countChanges,
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
    if ('head' in known) return { head: known.head, bytes: this.dependencies.contents.find(known.form) }
    return 'redirect' in known ? { head: headOf(known.redirect, request.target) } : undefined
  }

  answer = async (request: SiteRequest): Promise<Download | FixedHead | undefined> => {
    const key = keyOf(request)
    const resolved = () => this.#resolve(request)
    const known = await (key.length > keyMax ? resolved() : this.#known.load(key, resolved))
    if (known === undefined || 'site' in known) return undefined
    if ('redirect' in known) return headOf(known.redirect, request.target)
    if ('missing' in known) {
      if (known.missing === 'site') throw new ApiError('not_found', 'There is no site at this address.')
      return undefined
    }
    const { head, form } = known
    return new Download({ ...head, open: (range) => this.dependencies.contents.open(form, range) })
  }

  async #resolve({ host, target, encodings }: SiteRequest): Promise<KnownAnswer> {
    const asked = readPath(rawPathOf(target))
    // The name goes to another account when the site is deleted, and a certificate for it must not stay with this one.
    if (this.#nameIn(host) !== undefined && asked.path.startsWith(acmeChallengePath)) return { missing: 'file' }
    const site = await this.#siteOf(host)
    if (site === undefined) return { missing: 'site' }
    const rules = await this.#rules.fetch(site.versionId)
    // The site has another version meanwhile.
    if (rules === undefined) return { missing: 'file' }
    const matched = ask(asked, rules)
    const files = await this.dependencies.store.files(site.versionId, candidatesOf(matched))
    const found = resolve(matched, (name) => files.some((file) => file.path === name))
    if (found === undefined) return { missing: 'file' }
    if (!('file' in found)) return { redirect: found }
    const file = files.find((candidate) => candidate.path === found.file)
    if (file === undefined) return { missing: 'file' }
    const { encodings: accepted } = acceptedEncodings(encodings)
    return answerWith(file, { path: asked.path, status: found.status, site: { ...site, rules }, accepted })
  }

  async #siteOf(host: string): Promise<LiveVersion | undefined> {
    if (!hostForm.test(host)) return undefined
    const known = await this.#known.load(host, async () => ({ site: await this.#findSite(host) }))
    return known && 'site' in known ? known.site : undefined
  }

  async #findSite(host: string): Promise<LiveVersion | undefined> {
    const { store } = this.dependencies
    const name = this.#nameIn(host)
    return name === undefined ? store.findByDomain(host) : store.findByName(name)
  }

  /** The name of the site at a host below the sites domain; undefined for another host. */
  #nameIn(host: string): string | undefined {
    const below = `.${this.dependencies.sitesDomain}`
    return host.endsWith(below) ? host.slice(0, -below.length) : undefined
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

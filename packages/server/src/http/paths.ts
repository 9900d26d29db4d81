import type { FastifyInstance } from 'fastify'
import FindMyWay, { type HTTPMethod, type Instance } from 'find-my-way'

/** The longest value of a path parameter, in characters once decoded. */
export const maxParamLength = 1024

/** `/v1/dns/zones/{zone}` in the router's spelling: `/v1/dns/zones/:zone`. */
export const routerPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1')

/**
 * The path of a request target, as it was sent and without its query. A target in absolute form (RFC 9112, section 3.2.2) has the
 * authority before it.
 */
export function pathIn(target: string): string {
  const path = target.split('?', 1)[0] ?? target
  return path.startsWith('/') ? path : path.replace(/^https?:\/\/[^/]*/i, '') || '/'
}

/** The methods of each path, for `Allow` in a 405 and in the answer to a preflight. */
export class AllowedMethods {
  readonly #router: Instance<FindMyWay.HTTPVersion.V1> = FindMyWay({ maxParamLength })
  readonly #methods = new Map<string, Set<string>>()
  /** The last steps of paths with parameters that another path has a parameter for: `batch` of `/zones/:zone/records/batch`. */
  readonly #shadowing = new Set<string>()

  /** @param app must not have routes yet: the hook sees only routes that are added later */
  constructor(app: FastifyInstance) {
    app.addHook('onRoute', ({ method, url }) => {
      this.#add(url, [method].flat())
    })
  }

  /** The methods of the routes for a request's URL; undefined for a path without a route. */
  listOf(url: string): readonly string[] | undefined {
    // `OPTIONS *` (RFC 9110, section 9.3.7): the router would take the asterisk for the path `/`.
    if (url === '*') return undefined
    const found = this.#router.find(anyMethod, pathIn(url))
    return found && !hasEmptyStep(found.params) ? [...(found.store as Set<string>)] : undefined
  }

  /** The value of `Allow` for a request's URL, with OPTIONS; undefined for a path without a route. */
  of(url: string): string | undefined {
    const methods = this.listOf(url)
    return methods && [...methods, 'OPTIONS'].join(', ')
  }

  /**
   * Whether a request's URL is a path that lacks its method. For such a method, the router would match another path, with a parameter:
   * GET /v1/files/upload would ask for the file `upload`.
   */
  isOnlyForOthers(method: string, url: string): boolean {
    const path = pathIn(url)
    if (!path.includes('/:') && this.#methods.has(path)) return true
    return this.#shadowing.has(lastStep(path)) && this.listOf(url)?.includes(method) === false
  }

  /** The value of `Allow` for all paths together. */
  ofAll(): string {
    const methods = Array.from(this.#methods.values(), (ofPath) => [...ofPath]).flat()
    return [...new Set([...methods, 'OPTIONS'])].sort().join(', ')
  }

  #add(path: string, methods: readonly string[]): void {
    let known = this.#methods.get(path)
    if (known === undefined) {
      known = new Set()
      this.#methods.set(path, known)
      this.#router.on(anyMethod, path, noHandler, known)
      this.#noteShadowing(path)
    }
    for (const method of methods) known.add(method)
  }

  #noteShadowing(path: string): void {
    const parent = parentOf(path)
    if (!parent.includes('/:')) return
    const steps = [...this.#methods.keys()].filter((other) => parentOf(other) === parent).map(lastStep)
    if (!steps.some((step) => step.startsWith(':'))) return
    for (const step of steps) if (!step.startsWith(':')) this.#shadowing.add(step)
  }
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/'))

const lastStep = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/**
 * Whether a parameter of a path is empty. The router would match `/v1/dns/zones/` with the zone "". A wildcard may be empty.
 * @param params by name, as the router has decoded them
 */
export function hasEmptyStep(params: object): boolean {
  for (const [name, value] of Object.entries(params)) if (value === '' && name !== '*') return true
  return false
}

/** This router knows paths only, so it has all of them under one method. */
const anyMethod: HTTPMethod = 'GET'

const noHandler = () => undefined

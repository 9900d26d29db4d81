import FindMyWay, { type HTTPMethod, type Instance } from 'find-my-way'
import type { Operation } from '@svc/contract'

/** The longest part of a path that a placeholder stands for, in characters once decoded. */
export const maxParamLength = 1024

/** `/v1/dns/zones/{zone}` in the router's spelling. */
export const routerPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1')

/** Which methods each path of the contract has: what a 405 names, and a preflight. */
export class AllowedMethods {
  readonly #paths: Instance<FindMyWay.HTTPVersion.V1> = FindMyWay({ maxParamLength })

  constructor(operations: readonly Pick<Operation, 'method' | 'path'>[]) {
    const methods = new Map<string, Set<string>>()
    for (const { method, path } of operations) {
      const of = methods.get(path) ?? new Set()
      of.add(method)
      if (method === 'GET') of.add('HEAD')
      methods.set(path, of)
    }
    for (const [path, of] of methods)
      this.#paths.on(anyMethod, routerPath(path), noHandler, [...of, 'OPTIONS'].join(', '))
  }

  /** The value of `Allow` for a request's URL; undefined where the contract has no such path. */
  of(url: string): string | undefined {
    const store: unknown = this.#paths.find(anyMethod, url.split('?', 1)[0] ?? url)?.store
    return typeof store === 'string' ? store : undefined
  }
}

/** All paths stand under one method of this router: it tells whether there is a path, not what answers it. */
const anyMethod: HTTPMethod = 'GET'

const noHandler = () => undefined

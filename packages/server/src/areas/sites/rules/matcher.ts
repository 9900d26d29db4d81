import { matchPattern, staticPath, withoutSlash, type Captures, type PathPattern } from './pattern.js'
import { isAllowedHeader, type HeaderRule } from './headers.js'
import type { RedirectRule } from './redirects.js'
import type { SiteRules } from './rules.js'

/** A rule that applies to a path. */
export interface MatchedRedirect {
  readonly rule: RedirectRule
  readonly captures: Captures
}

interface Ordered {
  readonly rule: RedirectRule
  /** Its place in the file. */
  readonly order: number
}

interface Dynamic extends Ordered {
  readonly pattern: PathPattern
}

/** The rules of a version, ready to match paths. */
export class RuleMatcher {
  readonly #static = new Map<string, Ordered>()
  readonly #dynamic: readonly Dynamic[]
  readonly #headers: readonly HeaderRule[]

  constructor({ headers, redirects }: SiteRules) {
    const dynamic: Dynamic[] = []
    for (const [order, rule] of redirects.entries()) {
      const pattern = rule.from
      const path = staticPath(pattern)
      if (path === undefined) dynamic.push({ rule, order, pattern })
      else if (!this.#static.has(path)) this.#static.set(path, { rule, order })
    }
    this.#dynamic = dynamic
    // The version may have been deployed when other headers were accepted.
    this.#headers = headers.map(({ path, changes }) => ({
      path,
      changes: changes.filter(({ name }) => isAllowedHeader(name)),
    }))
  }

  /** The first rule of `_redirects` that matches. @param path decoded */
  redirectFor(path: string): MatchedRedirect | undefined {
    const exact = this.#static.get(withoutSlash(path))
    for (const { rule, order, pattern } of this.#dynamic) {
      if (exact && exact.order < order) break
      const captures = matchPattern(pattern, path)
      if (captures) return { rule, captures }
    }
    return exact && { rule: exact.rule, captures: {} }
  }

  /** Changes headers by all rules of `_headers` that match, in their order. @param path decoded */
  applyHeaders(path: string, defaults: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    if (this.#headers.length === 0) return defaults
    const own = new Map<string, string>()
    const removed = new Set<string>()
    for (const { path: pattern, changes } of this.#headers) {
      if (!matchPattern(pattern, path)) continue
      for (const { name, value } of changes) {
        const before = own.get(name)
        if (value === undefined) {
          own.delete(name)
          removed.add(name)
        } else own.set(name, before === undefined ? value : `${before}, ${value}`)
      }
    }
    const kept = Object.entries(defaults).filter(([name]) => !removed.has(name))
    return { ...Object.fromEntries(kept), ...Object.fromEntries(own) }
  }
}

import { kinds } from './kinds.js'
import type { Deployment } from './queries.js'

/** The deployments whose slug, target or kind contains every word of a search. A word can also be the whole address. */
export function searched(deployments: readonly Deployment[], search: string): readonly Deployment[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  if (words.length === 0) return deployments
  return deployments.filter(({ kind, slug, url, target }) => {
    const text = [slug, target ?? '', kinds[kind].label].join('\n').toLowerCase()
    return words.every((word) => text.includes(word) || word === url.toLowerCase())
  })
}

import { LRUCache } from 'lru-cache'
import { allScopes, requiredScopes, type Operation, type TokenScope } from '@svc/contract'
import { ruleKinds } from '@svc/contract/limits'
import { allowsSome, type Rules } from './rules.js'

/**
 * What is made of the operations that a set of scopes may call within rules. Kept for each set and what its rules allow at all: there are
 * few of them, and the making takes long.
 * @param max how many results are kept
 */
export function ofUsable<T extends object | string>(
  operations: readonly Operation[],
  make: (usable: readonly Operation[]) => T,
  max: number,
): (scopes: readonly TokenScope[], rules: Rules | undefined) => T {
  const known = new LRUCache<string, T>({ max })
  return (scopes, rules) => {
    const key = scopes.toSorted().join(' ') + limitsOf(rules)
    const found = known.get(key)
    if (found !== undefined) return found
    const made = make(operations.filter((op) => isUsable(op, scopes, rules)))
    known.set(key, made)
    return made
  }
}

const isUsable = (op: Operation, scopes: readonly TokenScope[], rules: Rules | undefined): boolean =>
  (typeof op.access === 'string' ||
    scopes.includes(allScopes) ||
    requiredScopes(op).some((scope) => scopes.includes(scope))) &&
  (op.refusesRules === undefined || rules === undefined) &&
  (op.touches === undefined || allowsSome(rules, op.touches.kind, op.touches.access))

/** What rules do not allow for anything of a kind: ` ruled zone:whole site:write`; empty without rules. */
const limitsOf = (rules: Rules | undefined): string =>
  rules === undefined
    ? ''
    : ' ruled' +
      ruleKinds
        .flatMap((kind) =>
          (['write', 'whole'] as const).map((access) => (allowsSome(rules, kind, access) ? '' : ` ${kind}:${access}`)),
        )
        .join('')

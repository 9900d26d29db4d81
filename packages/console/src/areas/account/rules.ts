import type { RecordType, RuleAccess, RuleKind } from '@svc/contract'
import type { client } from '../../parts/api/client.js'

type Rules = Awaited<ReturnType<typeof client.keys.list>>['keys'][number]['rules']

/** A rule of a key as the form has it. */
export interface RuleDraft {
  readonly kind: RuleKind
  readonly name: string
  /** Separated by spaces or commas; empty for all. Only of a zone, like the types. */
  readonly hosts: string
  /** Empty for all. */
  readonly types: readonly RecordType[]
  readonly access: RuleAccess
}

export const noRule: RuleDraft = { kind: 'zone', name: '', hosts: '', types: [], access: 'write' }

export const ruleDraftsOf = (rules: Rules): readonly RuleDraft[] =>
  (rules ?? []).map(({ hosts = [], types = [], ...rule }) => ({ ...rule, hosts: hosts.join(' '), types }))

/** What the server gets: null for a key without rules. */
export const rulesOf = (drafts: readonly RuleDraft[]): Rules => (drafts.length === 0 ? null : drafts.map(ruleOf))

function ruleOf({ kind, name, access, types, ...draft }: RuleDraft): NonNullable<Rules>[number] {
  const hosts = draft.hosts.split(/[\s,]+/).filter((host) => host !== '')
  const isZone = kind === 'zone'
  return {
    kind,
    name: name.trim(),
    ...(isZone && hosts.length > 0 && { hosts }),
    ...(isZone && types.length > 0 && { types }),
    access,
  }
}

/** The first rules of a key in a line: `zone example.com (TXT at _acme-challenge), site docs to read`. */
export function ruleText(rules: NonNullable<Rules>): string {
  const texts = rules.slice(0, 3).map(({ kind, name, hosts, types, access }) => {
    const parts = [types?.join(' '), hosts && `at ${hosts.slice(0, 3).join(' ')}${hosts.length > 3 ? ' …' : ''}`]
    const limits = parts.filter((part) => part !== undefined).join(' ')
    return `${kind} ${name}${limits === '' ? '' : ` (${limits})`}${access === 'read' ? ' to read' : ''}`
  })
  return `${texts.join(', ')}${rules.length > 3 ? ', …' : ''}`
}

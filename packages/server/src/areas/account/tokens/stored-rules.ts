import {
  recordTypes,
  ruleAccesses,
  ruleKinds,
  tokenRuleHostsMax,
  tokenRulesMax,
  type RuleKind,
} from '@svc/contract/limits'
import { LRUCache } from 'lru-cache'
import type { Rule, Rules } from '../../../shared/rules.js'

/** Rules of tokens as JSON in the database. */

export const rulesText = (rules: Rules | null): string | null => (rules === null ? null : JSON.stringify(rules))

/**
 * On PostgreSQL, the token is read at each request, and its rules must not be parsed each time. Bounded by the characters of the texts:
 * those of one token may have 30,000. Parsed rules take about four times as many bytes.
 */
const parsed = new LRUCache<string, Rules>({ maxSize: 2_000_000, sizeCalculation: (_, text) => text.length })

/** Of damaged rules: their token must not be able to do more, and its owner must be able to list and revoke it. No thing has this name. */
const nothing: Rules = ruleKinds.map((kind) => ({ kind, name: '', access: 'read' }))

/** @returns rules that allow nothing of any kind for a damaged text, which `svc doctor` reports */
export function parseRules(text: string): Rules {
  const known = parsed.get(text)
  if (known !== undefined) return known
  const value = parseJson(text)
  const rules = isRules(value) ? value : nothing
  parsed.set(text, rules)
  return rules
}

/** @returns undefined for a text that is not JSON */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A SyntaxError: JSON.parse throws nothing else.
    return undefined
  }
}

const isListOf = (value: unknown, isItem: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.length > 0 && value.every(isItem)

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''

const isOneOf = (values: readonly unknown[]) => (value: unknown) => values.includes(value)

const fields: Readonly<Record<keyof Rule, (value: unknown) => boolean>> = {
  kind: isOneOf(ruleKinds),
  name: isText,
  hosts: (value) => value === undefined || isListOf(value, isText),
  types: (value) => value === undefined || isListOf(value, isOneOf(recordTypes)),
  access: isOneOf(ruleAccesses),
}

const isRule = (value: unknown): value is Rule =>
  typeof value === 'object' &&
  value !== null &&
  Object.keys(value).every((name) => name in fields) &&
  Object.entries(fields).every(([name, isValid]) => isValid((value as Record<string, unknown>)[name])) &&
  ((value as Rule).kind === ('zone' satisfies RuleKind) || !('hosts' in value || 'types' in value))

/** Whether a value has the form of stored rules. */
export const isRules = (value: unknown): value is Rules =>
  isListOf(value, isRule) && (value as Rules).length <= tokenRulesMax && hostsOf(value as Rules) <= tokenRuleHostsMax

/** The number of hosts in all rules. */
export const hostsOf = (rules: readonly Pick<Rule, 'hosts'>[]): number =>
  rules.reduce((sum, { hosts = [] }) => sum + hosts.length, 0)

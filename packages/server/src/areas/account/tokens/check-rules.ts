import { ApiError, badRequest, badRequestSentence } from '@svc/contract/errors'
import { tokenRuleHostsMax, type RuleKind } from '@svc/contract/limits'
import type { Rule } from '../../../shared/rules.js'
import { hostsOf } from './stored-rules.js'

/**
 * Checks names in rules, and returns their canonical form.
 * @throws ApiError `bad_request`, with a field that `checkRules` replaces by the place in the list of rules
 */
export interface RuleNames {
  readonly ofKind: Readonly<Record<RuleKind, (name: string) => string>>
  /** @param zone canonical @param host of a rule, which may have `*` and `**` */
  readonly host: (zone: string, host: string) => string
}

/**
 * Checks the rules of a new token, or of a changed one. The schema of the request has checked their form.
 * @returns the rules in canonical form
 * @throws ApiError `bad_request` for names and hosts that no such thing can have
 */
export function checkRules(given: readonly Rule[], names: RuleNames): readonly Rule[] {
  const hosts = hostsOf(given)
  if (hosts > tokenRuleHostsMax)
    throw badRequest(
      'rules',
      `must have at most ${String(tokenRuleHostsMax)} hosts in all rules together, not ${String(hosts)}`,
    )
  return given.map((rule, at) => checkRule(rule, `rules[${String(at)}]`, names))
}

function checkRule({ kind, name: givenName, hosts, types, access }: Rule, field: string, names: RuleNames): Rule {
  for (const [part, value] of Object.entries({ hosts, types }))
    if (kind !== 'zone' && value !== undefined)
      throw badRequest(`${field}.${part}`, `is only for rules of zones, and this one is of a ${kind}`)
  const name = inField(`${field}.name`, () => names.ofKind[kind](givenName))
  const canonical = hosts?.map((host, at) => inField(`${field}.hosts[${String(at)}]`, () => names.host(name, host)))
  return {
    kind,
    name,
    ...(canonical && { hosts: [...new Set(canonical)] }),
    ...(types && { types: [...new Set(types)] }),
    access,
  }
}

/** Applies a check of another request, whose field has another name. */
function inField<R>(field: string, check: () => R): R {
  try {
    return check()
  } catch (error) {
    if (!(error instanceof ApiError) || error.about === undefined) throw error
    const { message, about } = error
    throw about.problem === message ? badRequestSentence(field, message) : badRequest(field, about.problem)
  }
}

import { ApiError, consoleOperations } from '@svc/contract'
import { checkRules } from '../areas/account/tokens/check-rules.js'
import { ruleNames } from '../app/rule-names.js'
import { inputChecks } from '../http/validate.js'
import { OperatorError } from '../shared/operator-error.js'
import { quoted } from '../shared/quoted.js'
import type { Rule, Rules } from '../shared/rules.js'

/** For no rules. */
const any = 'any'

/**
 * The rules of `svc token add` and `svc token update`.
 * @param given each rule as JSON; one `any` for none
 * @returns null for a token without rules
 * @throws OperatorError
 */
export function tokenRules(given: readonly string[]): Rules | null {
  if (given.length === 1 && given[0] === any) return null
  if (given.includes(any)) throw new OperatorError(`--rule ${any} is for no rules: give no rule with it.`, 2)
  const rules = given.map(parseRule)
  const create = consoleOperations.find(({ id }) => id === 'keys.create')
  if (create === undefined) throw new Error('There is no operation keys.create.')
  try {
    inputChecks()(create).body({ name: 'rules', rules })
    return checkRules(rules as Rule[], ruleNames)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw new OperatorError(`--rule: ${error.message}`, 2, { cause: error })
  }
}

function parseRule(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new OperatorError(
      `--rule must be one rule as JSON, such as {"kind":"site","name":"docs","access":"write"}, or ${any}, not ${quoted(text)}.`,
      2,
    )
  }
}

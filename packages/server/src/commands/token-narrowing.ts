import type { TokenLimits } from '../areas/account/tokens/limits.js'
import { tokenLimits, type GivenTokenLimits } from './token-limits.js'

/** When, from where and for which things a token works. */
export interface GivenNarrowing extends GivenTokenLimits {
  /** Each rule as JSON; `any` for no rules. */
  readonly rule?: readonly string[] | undefined
}

/** Loads the schemas and names that rules are checked with only if there are some. */
export const narrowed = async ({ rule = [], ...limits }: GivenNarrowing): Promise<Partial<TokenLimits>> => ({
  ...tokenLimits(limits, Date.now()),
  ...(rule.length > 0 && { rules: (await import('./token-rules.js')).tokenRules(rule) }),
})

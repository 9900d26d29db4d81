import { badRequest } from '@svc/contract/errors'
import { parseTime } from '../../../shared/timestamp.js'
import { quoted } from '../../../shared/quoted.js'
import { checkUrl } from '../check-url.js'
import type { CheckTerms, Deployment } from '../deployment.js'

/** The options of a short link that its row has as JSON, in the spelling of the contract. */
export interface LinkOptions {
  readonly status: 301 | 302
  readonly forward_query: boolean
}

const defaults: LinkOptions = { status: 302, forward_query: false }

export const linkOptionsOf = ({ settings }: Pick<Deployment, 'settings'>): LinkOptions =>
  JSON.parse(settings) as LinkOptions

export const checkLinkTerms: CheckTerms = ({ target, form, shortlink }, before) => {
  if (form !== undefined) throw badRequest('form', 'is not for short links: send shortlink')
  const checked = typeof target === 'string' ? checkUrl('target', target) : target === undefined && before?.target
  if (typeof checked !== 'string') throw badRequest('target', 'is required for a short link')
  const { expires_at, max_uses, ...given } = shortlink ?? {}
  const options: LinkOptions = { ...defaults, ...(before && linkOptionsOf(before)), ...given }
  return {
    target: checked,
    settings: JSON.stringify(options),
    secret: null,
    expiresAt: expires_at === undefined ? (before?.expiresAt ?? null) : checkTime(expires_at),
    maxUses: max_uses === undefined ? (before?.maxUses ?? null) : max_uses,
  }
}

/** @returns milliseconds since the epoch */
function checkTime(text: string | null): number | null {
  if (text === null) return null
  const time = parseTime(text)
  if (time === undefined)
    throw badRequest('shortlink.expires_at', `must be a time such as 2027-01-31T18:00:00Z, not ${quoted(text)}`)
  return time
}

import { siteNamePattern } from '@svc/contract'
import { badRequest } from '@svc/contract/errors'
import { platformMaxLength, slugPattern } from '@svc/contract/limits'
import type { RuleNames } from '../areas/account/tokens/check-rules.js'
import { ruleHost } from '../areas/dns/values/rule-host.js'
import { zoneName } from '../areas/dns/zones/name.js'
import { quoted } from '../shared/quoted.js'
import { refuseInvisible } from '../shared/visible-text.js'

/** @throws ApiError `bad_request` for a name that does not match */
const matching = (pattern: string, accepted: string) => {
  const form = new RegExp(pattern, 'u')
  return (name: string): string => {
    if (form.test(name)) return name
    throw badRequest('name', `must be ${accepted}, not ${quoted(name)}`)
  }
}

const slug = (what: string) =>
  matching(slugPattern, `the slug of a ${what}: lower-case letters, digits and hyphens, up to 63 characters`)

const platform = matching(`^.{1,${platformMaxLength}}$`, `a platform of 1 to ${platformMaxLength} characters`)

/** The names that the rules of tokens can have: those of the things of all areas. */
export const ruleNames: RuleNames = {
  ofKind: {
    zone: zoneName,
    site: matching(siteNamePattern, 'the name of a site: lower-case letters, digits and hyphens, up to 63 characters'),
    package: slug('package'),
    deployment: slug('deployment'),
    credential: (name) => {
      refuseInvisible('name', name)
      return platform(name)
    },
  },
  host: ruleHost,
}

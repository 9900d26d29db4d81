import { isPublicName } from '@svc/contract/public-name'
import type { Config } from '../../config/config.js'
import { contentHostOf } from '../../http/content-host.js'
import { registrableDomain } from '../../ports/dns/domain-names.js'
import type { Report } from './finding.js'

/** Whether browsers let pages of one site set cookies for other sites, or for the console (RFC 6265, section 5.3). */
export function checkSitesDomain(
  { sitesDomain, publicUrl }: Pick<Config, 'sitesDomain' | 'publicUrl'>,
  report: Report,
): void {
  if (!isPublicName(sitesDomain)) return
  const cookieDomain = registrableDomain(contentHostOf(sitesDomain))
  const consoleHost = publicUrl === undefined ? undefined : new URL(publicUrl).hostname
  if (consoleHost !== undefined && cookieDomain === registrableDomain(consoleHost))
    report.warning(
      `SVC_SITES_DOMAIN, ${sitesDomain}, shares ${String(cookieDomain)} with SVC_PUBLIC_URL: pages of sites can set cookies for the console.`,
      'Set SVC_SITES_DOMAIN to a domain that is used for nothing else.',
    )
  // Not registrable: browsers refuse cookies for it.
  if (registrableDomain(sitesDomain) !== null)
    report.warning(
      `SVC_SITES_DOMAIN, ${sitesDomain}, is not on the Public Suffix List that svc knows: a page of one site can set cookies for all others, and log their visitors out.`,
      'Add it to the private section of the list: https://publicsuffix.org/submit/. Ignore this if you have: svc learns the list with its updates.',
    )
}

import type { LookupFunction } from 'node:net'
import { contentUrlOf } from '../../app/base-urls.js'
import { contentHostOf } from '../../http/content-host.js'
import { isLocalHost } from '../setting-conflicts.js'
import type { Check, Context } from './check.js'
import type { Report } from './finding.js'
import { ask, reportCertificate, requestMs, type Presented } from './public-url.js'

interface Access {
  /** The certificate authority to trust; that of the system by default. */
  readonly ca?: string
  readonly lookup?: LookupFunction
}

/** Whether clients reach the content host and the sites domain, where share links, sites, forms and packages are. */
export const contentHostCheck = (access: Access = {}): Check => ({
  section: 'content_host',
  deadlineMs: requestMs + 2_000,
  async run({ config }, report) {
    const { publicUrl, sitesDomain } = config
    if (publicUrl === undefined) report('ok', 'Not checked: SVC_PUBLIC_URL is not set.')
    else if (!isLocalHost(sitesDomain))
      for (const findings of hostsOf(config).map((host) => checkHost(config, host, access)))
        for (const finding of await findings) report(...finding)
    else if (isLocalHost(new URL(publicUrl).hostname)) report('ok', `Not checked: ${sitesDomain} is this machine.`)
    else
      report(
        'warning',
        `Share links, sites, forms and packages are below ${sitesDomain}, which no other machine can open.`,
        'Set SVC_SITES_DOMAIN to a domain whose wildcard record (*.sites.example.net) points to this server, and restart svc.',
      )
  },
})

/** The content host, and one of a site: a wildcard record has both. */
const hostsOf = ({ sitesDomain }: Context['config']) => [contentHostOf(sitesDomain), `svc-doctor.${sitesDomain}`]

async function checkHost(config: Context['config'], host: string, { ca, lookup }: Access) {
  const url = new URL(contentUrlOf(config))
  url.hostname = host
  const findings: Parameters<Report>[] = []
  const report: Report = (...finding) => void findings.push(finding)
  const certificates: Presented[] = []
  const remedy = `Check its DNS record with dig +short ${host}, and that the proxy passes this host on to svc with its Host header.`
  const present = (presented: Presented) => void certificates.push(presented)
  try {
    const { headers } = await ask(url.href, { ca, present, ...(lookup && { lookup }) })
    // Both hosts answer 404 here, with the id of the request.
    if (String(headers['x-request-id']).startsWith('req_')) report('ok', `svc answers on ${url.origin}.`)
    else report('error', `${url.origin} is reachable, but svc does not answer there.`, remedy)
  } catch (error) {
    const reason = (error as Error).message.replace(/\.$/, '')
    report('error', `${url.origin} cannot be reached from this machine: ${reason}.`, remedy)
  }
  for (const presented of certificates) reportCertificate(host, presented, Date.now(), report)
  return findings
}

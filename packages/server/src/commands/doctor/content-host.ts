import { contentUrlOf } from '../../app/base-urls.js'
import { contentHostOf } from '../../http/content-host.js'
import { isLocalHost } from '../../shared/local-host.js'
import type { Check, Context } from './check.js'
import { Report } from './finding.js'
import { probe, requestMs, unreachable, type Access } from './public-url.js'

/** Whether clients reach the content host and the sites domain, where share links, sites, forms and packages are. */
export const contentHostCheck = (access: Access = {}): Check => ({
  section: 'content_host',
  deadlineMs: requestMs + 2_000,
  async run({ config }, report) {
    const { publicUrl, sitesDomain } = config
    if (publicUrl === undefined) report.ok('Not checked: SVC_PUBLIC_URL is not set.')
    else if (!isLocalHost(sitesDomain))
      for (const checked of hostsOf(config).map((host) => checkHost(config, host, access)))
        report.findings.push(...(await checked).findings)
    else if (isLocalHost(new URL(publicUrl).hostname)) report.ok(`Not checked: ${sitesDomain} is this machine.`)
    else
      report.warning(
        `Share links, sites, forms and packages are below ${sitesDomain}, which no other machine can open.`,
        'Set SVC_SITES_DOMAIN to a domain whose wildcard record (*.sites.example.net) points to this server, and restart svc.',
      )
  },
})

/** The content host, and one of a site: a wildcard record has both. */
const hostsOf = ({ sitesDomain }: Context['config']) => [contentHostOf(sitesDomain), `svc-doctor.${sitesDomain}`]

async function checkHost(config: Context['config'], host: string, access: Access): Promise<Report> {
  const url = new URL(contentUrlOf(config))
  url.hostname = host
  const report = new Report('content_host')
  const remedy = `Check its DNS record with dig +short ${host}, and that the proxy passes this host on to svc with its Host header.`
  await probe(url.href, access, report, {
    answered({ headers }) {
      // Both hosts answer 404 here, with the id of the request.
      if (String(headers['x-request-id']).startsWith('req_')) report.ok(`svc answers on ${url.origin}.`)
      else report.error(`${url.origin} is reachable, but svc does not answer there.`, remedy)
    },
    failed: (error) => report.error(unreachable(url.origin, error), remedy),
  })
  return report
}

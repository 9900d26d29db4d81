import { isPublicName } from '@svc/contract/public-name'
import { unknownVariables } from '../../config/config.js'
import { isLocalHost } from '../../shared/local-host.js'
import { settingConflicts } from '../setting-conflicts.js'
import type { Check, Context } from './check.js'
import type { Report } from './finding.js'
import { checkSitesDomain } from './sites-domain.js'

/** Settings that do not work together, and those that are valid but rarely meant. */
export const settingsCheck: Check = {
  section: 'settings',
  deadlineMs: 1_000,
  async run(context, report) {
    for (const sentence of settingConflicts(context.config)) report.error(sentence)
    for (const text of unknownVariables(context.env)) report.warning(`${text}.`.replace('?.', '?'))
    checkPublicUrl(context.config, report)
    checkSitesDomain(context.config, report)
    checkNameservers(context, report)
    if (report.findings.length === 0) report.ok('All settings are valid and work together.')
  },
}

function checkPublicUrl({ publicUrl, host }: Context['config'], report: Report): void {
  if (publicUrl === undefined) {
    if (!isLocalHost(host.includes(':') ? `[${host}]` : host))
      report.warning(
        `SVC_PUBLIC_URL is not set, but svc listens on ${host} for other machines: links in its answers have that address.`,
        'Set SVC_PUBLIC_URL to the URL that clients use.',
      )
    return
  }
  const { protocol, hostname } = new URL(publicUrl)
  if (protocol === 'http:' && !isLocalHost(hostname))
    report.warning(
      `SVC_PUBLIC_URL is ${publicUrl}, so tokens and passwords cross the network unencrypted.`,
      'Set SVC_TLS_PORT and a certificate, or put a proxy with TLS in front of svc, and set SVC_PUBLIC_URL to the https URL: see docs/tls.md.',
    )
}

function checkNameservers({ config: { dns }, env }: Context, report: Report): void {
  const { nameservers } = dns
  if (!nameservers.every(isPublicName)) {
    report.warning(
      `SVC_NAMESERVERS is ${nameservers.join(',')}, which the public DNS cannot have: no registry can delegate a zone to them.`,
      'Set SVC_NAMESERVERS to two public host names of your nameservers.',
    )
    return
  }
  if (nameservers.length === 1)
    report.warning(
      `SVC_NAMESERVERS has one name, ${nameservers.join()}: most registries require two.`,
      'Set SVC_NAMESERVERS to two host names, preferably in two networks (RFC 2182).',
    )
  const given = (env['SVC_NAMESERVERS'] ?? '').split(',').filter((name) => name.trim() !== '')
  if (given.length > nameservers.length)
    report.warning('SVC_NAMESERVERS has the same name twice.', 'Remove the second one, or correct it.')
}

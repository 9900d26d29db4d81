import { pino } from 'pino'
import { contentHostOf } from '../../http/content-host.js'
import { ownAddresses } from '../../ports/certificates/acme/leads-here.js'
import { FileCertificates, readOnce } from '../../ports/certificates/files/file-certificates.js'
import type { Certificate } from '../../ports/certificates/port.js'
import { isCovered, reportOrdered } from './ordered-certificates.js'
import type { Check, Context } from './check.js'
import type { Report } from './finding.js'

const dayMs = 86_400_000
const renewalDays = 14

/** Details of one finding. */
const detailsMax = 20

/** Whether the certificates that svc serves itself can be used, are valid, and are for the names of this server. */
export const certificatesCheck: Check = {
  section: 'certificates',
  deadlineMs: 20_000,
  async run({ config, database }, report) {
    if (config.tls === undefined) {
      report.ok('Not checked: svc does not end TLS itself, because SVC_TLS_PORT is not set.')
      return
    }
    if (config.acme !== undefined) checkAddresses(config, report)
    const ordered = config.acme === undefined ? [] : await reportOrdered(await database, config.vault, report)
    if (config.tls.files === undefined) {
      checkNames((host) => isCovered(host, ordered), config, report)
      if (report.findings.length === 0) report.ok(`svc has ordered ${counted(ordered)}, which can be served.`)
      return
    }
    const files = await FileCertificates.open(config.tls.files, pino({ level: 'silent' }), readOnce)
    for (const { path, message } of files.problems) report.error(`${path}: ${message}`, remedy)
    const certificates = [...files.all()]
    checkNames((host) => files.find(host) !== undefined || isCovered(host, ordered), config, report)
    reportSoon(certificates, report)
    const [first] = certificates.toSorted((a, b) => a.validUntil - b.validUntil)
    if (first && !report.findings.some(({ status }) => status === 'error'))
      report.ok(`${counted(certificates)} can be served; the first to expire is valid until ${dayOf(first)}.`)
    await files.close()
  },
}

const remedy = 'Correct the file: until then, a running server serves the certificate that it had before.'

const counted = ({ length }: readonly unknown[]): string =>
  length === 1 ? '1 certificate' : `${String(length)} certificates`

const dayOf = ({ validUntil }: Certificate): string => new Date(validUntil).toISOString().slice(0, 10)

function checkAddresses(config: Context['config'], report: Report): void {
  if (ownAddresses(config).length > 0) return
  report.warning(
    `SVC_SITES_ADDRESSES is not set, and SVC_HOST is ${config.host}, so svc knows no address of this server: it orders no certificate for a name that leads here only by an A, AAAA or CNAME record.`,
    'Set SVC_SITES_ADDRESSES to the public IPv4 and IPv6 addresses of this server.',
  )
}

function checkNames(
  has: (host: string) => boolean,
  { publicUrl, sitesDomain }: Context['config'],
  report: Report,
): void {
  const host = new URL(publicUrl ?? 'https://localhost').hostname.replace(/^\[|\]$/g, '')
  if (!has(host))
    report.error(
      `No certificate is for ${host}, the host of SVC_PUBLIC_URL: clients cannot connect.`,
      `Get a certificate for ${host}.`,
    )
  const content = contentHostOf(sitesDomain)
  const others = [...(has(content) ? [] : [content]), ...(has(`any.${sitesDomain}`) ? [] : [`*.${sitesDomain}`])]
  if (others.length > 0)
    report.warning(
      `No certificate is for ${others.join(' and ')}: share links and sites have https addresses that cannot be opened.`,
      `Get a certificate for *.${sitesDomain}.`,
    )
}

function reportSoon(certificates: readonly Certificate[], report: Report): void {
  const soon = certificates.filter(
    ({ validUntil }) => validUntil - Date.now() < renewalDays * dayMs && validUntil > Date.now(),
  )
  if (soon.length > 0)
    report.warning(
      `${counted(soon)} will expire within ${String(renewalDays)} days.`,
      'Renew, and check why that did not happen by itself.',
      soon.slice(0, detailsMax).map((one) => `${one.names.slice(0, 3).join(', ')}: ${dayOf(one)}`),
    )
}

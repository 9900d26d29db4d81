import { failingCountMax, overviewExpiryDays } from '@svc/contract'
import { counted, formatBytes } from '../../parts/format.js'
import { expiryText } from '../../parts/registration/expiry.js'
import { formatSince } from '../deployments/moments.js'
import { isNearlyFull } from '../files/storage-use.js'
import type { Overview, PartName, PartOf } from './queries.js'

/** Something that needs attention. */
export interface Finding {
  /** What it is about: the text of the link. */
  readonly subject: string
  /** Continues the subject: "expires in 9 days". */
  readonly problem: string
  /** Where the user can do something about it. */
  readonly path: string
  /** Something does not work now; otherwise it will stop to work, or is not finished. */
  readonly isBroken: boolean
}

type FindingsOf = { readonly [Name in PartName]?: (part: PartOf<Name>) => readonly Finding[] }

/** What needs attention in the part of each area: what is broken first. */
const findingsOf: FindingsOf = {
  deployments: ({ failing, more_failing: more }) => [
    ...failing.map(({ id, slug, count, since }) => ({
      subject: slug,
      problem: `has ${count === failingCountMax ? `${String(count)} or more failing deliveries` : counted(count, 'failing delivery', 'failing deliveries')} since ${formatSince(since)}`,
      path: `/deployments/${String(id)}`,
      isBroken: true,
    })),
    ...(more
      ? [
          {
            subject: 'More webhooks',
            problem: 'have deliveries that fail',
            path: '/deployments?kind=webhook',
            isBroken: true,
          },
        ]
      : []),
  ],
  files: (usage) => [
    ...(usage.free_bytes === 0
      ? [{ subject: 'Storage', problem: 'the disk of the server is full', path: '/files', isBroken: true }]
      : []),
    ...(isNearlyFull(usage)
      ? [
          {
            subject: 'Storage',
            problem: `${formatBytes(usage.bytes)} of ${formatBytes(usage.bytes_limit ?? 0)} are used`,
            path: '/files',
            isBroken: false,
          },
        ]
      : []),
  ],
  domains: ({ expiring, soonest }) => [
    ...soonest.map(({ domain, expires_at: at }) => {
      const isBroken = Date.parse(at) <= Date.now()
      const text = expiryText(at)
      return {
        subject: domain,
        problem: isBroken ? text : `expires ${text}`,
        path: `/domains?domain=${encodeURIComponent(domain)}`,
        isBroken,
      }
    }),
    ...others(
      expiring - soonest.length,
      'domain',
      `have expired, or expire within ${String(overviewExpiryDays)} days`,
      '/domains',
    ),
  ],
  tls: ({ failing, soonest }) => [
    ...soonest.map(({ name, not_after: end }) => ({
      subject: name,
      problem: certificateProblem(end),
      path: `/certificates?q=${encodeURIComponent(name)}`,
      isBroken: end === null || Date.parse(end) <= Date.now(),
    })),
    ...others(failing - soonest.length, 'certificate', 'could not be ordered', '/certificates?show=attention'),
  ],
  dns: ({ pending, unverified }) => [
    ...unverified.map(({ zone, txt_name: name }) => ({
      subject: zone,
      problem: `is not verified${name === null ? '' : `: publish the TXT record ${name}`}`,
      path: `/dns/${encodeURIComponent(zone)}`,
      isBroken: false,
    })),
    ...others(pending - unverified.length, 'zone', 'not verified', '/dns?status=pending'),
  ],
}

function certificateProblem(end: string | null): string {
  if (end === null) return 'has no certificate yet: its order failed'
  const text = expiryText(end)
  return `has a certificate that could not be renewed, and ${Date.parse(end) <= Date.now() ? text : `ends ${text}`}`
}

/** Those that the answer does not name, as one finding. */
const others = (count: number, noun: string, problem: string, path: string): readonly Finding[] =>
  count <= 0 ? [] : [{ subject: counted(count, `more ${noun}`), problem, path, isBroken: false }]

/** Everything that needs attention, what is broken first. */
export function findings({ nameserver, parts }: Overview): readonly Finding[] {
  const all = Object.entries(findingsOf).flatMap(([name, of]) => {
    const part = parts[name as PartName]
    return part === null || part === undefined ? [] : (of as (given: typeof part) => readonly Finding[])(part)
  })
  const ofServer: readonly Finding[] =
    nameserver === 'failing'
      ? [
          {
            subject: 'Nameserver',
            problem: 'does not answer: tell the operator of this server',
            path: '/dns',
            isBroken: true,
          },
        ]
      : []
  return [...ofServer, ...all.filter(({ isBroken }) => isBroken), ...all.filter(({ isBroken }) => !isBroken)]
}

/** Whether a part could not be read. */
export const isIncomplete = ({ parts }: Overview): boolean => Object.values(parts).some((part) => part === null)

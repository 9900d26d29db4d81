import type { client } from '../api/client.js'
import { expiryText } from '../registration/expiry.js'

export type Certificate = Awaited<ReturnType<typeof client.tls.list>>['certificates'][number]

/** What a certificate needs, the most urgent first. */
const levels = ['failed', 'ending', 'late', 'waiting', 'ordering', 'valid'] as const
export type Level = (typeof levels)[number]

const dayMs = 86_400_000
/** A certificate that could not be renewed is urgent so many days before its end. */
const urgentDays = 7

const isPast = (at: string | null, now: number): boolean => at !== null && Date.parse(at) <= now

/** Whether the order is running, or will start within seconds. */
export function isUnderWay({ status, error, next_attempt, renew_at }: Certificate, now = Date.now()): boolean {
  if (status === 'ordering') return true
  if (status === 'issued') return isPast(renew_at, now) && isPast(next_attempt, now)
  return isPast(next_attempt, now) || (status === 'waiting' && error === null)
}

/** @param now in milliseconds since the epoch */
export function levelOf(certificate: Certificate, now = Date.now()): Level {
  const { status, not_after: end, error } = certificate
  const isValid = status === 'issued' && !isPast(end, now)
  if (isUnderWay(certificate, now)) return 'ordering'
  if (isValid && error === null) return 'valid'
  if (isValid) return end !== null && Date.parse(end) - now <= urgentDays * dayMs ? 'ending' : 'late'
  return status === 'failed' || end !== null ? 'failed' : 'waiting'
}

/** The state in a few words. */
export function stateText(certificate: Certificate, now = Date.now()): string {
  const { not_after: end } = certificate
  const level = levelOf(certificate, now)
  if (level === 'ending') return `Ends ${expiryText(end, now)}`
  if (level === 'ordering') return end === null ? 'Being ordered' : 'Being renewed'
  if (level === 'failed') return end === null ? 'Failed' : sentence(expiryText(end, now))
  return { late: 'Not renewed', waiting: 'Waiting', valid: 'Valid' }[level]
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** The zone or the host that it is for. It names the certificate. */
export const nameOf = ({ zone, names }: Certificate): string => zone ?? names[0] ?? ''

/** What needs the user comes first, then what ends soonest. */
export const byUrgency = (certificates: readonly Certificate[], now = Date.now()): readonly Certificate[] =>
  certificates
    .map((certificate) => ({ certificate, rank: levels.indexOf(levelOf(certificate, now)) }))
    .toSorted(
      (a, b) =>
        a.rank - b.rank ||
        endOf(a.certificate) - endOf(b.certificate) ||
        (nameOf(a.certificate) < nameOf(b.certificate) ? -1 : 1),
    )
    .map(({ certificate }) => certificate)

const endOf = ({ not_after: end }: Certificate): number => (end === null ? Infinity : Date.parse(end))

/** The certificate that a host is served with: a valid one if there is one. @returns undefined before it is asked for */
export function certificateOf(certificates: readonly Certificate[], host: string): Certificate | undefined {
  const wildcard = `*${host.slice(host.indexOf('.'))}`
  const found = certificates.filter(({ names }) => names.includes(host) || names.includes(wildcard))
  return found.find(({ status }) => status === 'issued') ?? found.find(({ site }) => site !== null) ?? found[0]
}

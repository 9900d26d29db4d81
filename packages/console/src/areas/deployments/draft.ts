import type { DeploymentKind } from '@svc/contract'
import { redirectStatuses } from '@svc/contract'
import type { client } from '../../parts/api/client.js'
import type { Detail } from './queries.js'

/** The options of a deployment as the fields of a form hold them. Those of other kinds are kept, but not sent. */
export interface Draft {
  readonly target: string
  readonly origins: readonly string[]
  readonly nextUrls: readonly string[]
  readonly status: (typeof redirectStatuses)[number]
  readonly forwardsQuery: boolean
  /** Local time as `<input type="datetime-local">` has it; empty for never. */
  readonly expiresAt: string
  /** Empty for no limit. */
  readonly maxUses: number | ''
}

export const emptyDraft: Draft = {
  target: '',
  origins: [],
  nextUrls: [],
  status: redirectStatuses[0],
  forwardsQuery: false,
  expiresAt: '',
  maxUses: '',
}

/** The options of a deployment, to change them. */
export function draftOf({ target, form, shortlink }: Detail): Draft {
  return {
    target: target ?? '',
    origins: form?.origins ?? emptyDraft.origins,
    nextUrls: form?.next_urls ?? emptyDraft.nextUrls,
    status: shortlink?.status ?? emptyDraft.status,
    forwardsQuery: shortlink?.forward_query ?? false,
    expiresAt: shortlink?.expires_at ? toLocal(shortlink.expires_at) : '',
    maxUses: shortlink?.max_uses ?? '',
  }
}

type Terms = Omit<Parameters<typeof client.deployments.update>[0], 'id'>

/** The options that the server gets for this kind. */
export function termsOf(kind: DeploymentKind, draft: Draft): Terms {
  const target = draft.target.trim()
  if (kind === 'form') return { form: { origins: [...draft.origins], next_urls: [...draft.nextUrls] } }
  if (kind === 'webhook') return { target: target === '' ? null : target }
  const { status, forwardsQuery, expiresAt, maxUses } = draft
  return {
    target,
    shortlink: {
      status,
      forward_query: forwardsQuery,
      expires_at: expiresAt === '' ? null : toUtc(expiresAt),
      max_uses: maxUses === '' ? null : maxUses,
    },
  }
}

/** @returns RFC 3339; the text itself if it is not a time, so that the server's message is shown at the field */
function toUtc(local: string): string {
  const date = new Date(local)
  return Number.isNaN(date.getTime()) ? local : date.toISOString()
}

/** @param at RFC 3339 @returns `2027-01-31T18:00` in the time zone of the browser, with seconds if it has some */
export function toLocal(at: string): string {
  const date = new Date(at)
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  // Without the milliseconds, and without seconds if they are zero.
  return local.toISOString().slice(0, 19).replace(/:00$/, '')
}

/** What a slug becomes while it is typed: lower-case, with hyphens for spaces. */
export const slugOf = (typed: string): string =>
  typed
    .toLowerCase()
    .replaceAll(/[\s_]+/g, '-')
    .replace(/^-+/, '')

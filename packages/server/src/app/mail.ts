import type { Logger } from 'pino'
import type { AreaName } from '@svc/contract'
import type { Config } from '../config/config.js'
import type { Area } from '../http/area.js'
import type { Metrics } from '../http/metrics.js'
import { isMailKind, type MailKind } from '../ports/mail/kinds.js'
import type { MailComposers } from '../ports/mail/outbox/mailer.js'
import { unsubscribePath } from '../ports/mail/unsubscribe/links.js'
import type { Job } from '../shared/job.js'
import { contentUrlOf } from './base-urls.js'
import type { Ports } from './ports.js'

interface MailParts {
  readonly areas: readonly Area<AreaName>[]
  readonly metrics: Metrics | undefined
  readonly log: Logger
}

/** The jobs of e-mails, with what the areas add, and what ends the e-mails that are under way. */
export function mailSender(
  config: Config,
  { outbox }: Pick<Ports, 'outbox'>,
  { areas, metrics, log }: MailParts,
): { readonly jobs: readonly Job[]; readonly close: () => Promise<void> } {
  const composers = allComposers(areas.flatMap(({ mails }) => mails ?? []))
  const { jobs, mailer } = outbox.sender({
    log,
    metrics,
    composers,
    unsubscribeBase: contentUrlOf(config) + unsubscribePath,
  })
  return { jobs, close: async () => mailer?.close() }
}

/** Areas with e-mails of one kind have different topics: the first one that knows the topic makes the e-mail. */
export const allComposers = (ofAreas: readonly MailComposers[]): MailComposers => {
  const kinds = [...new Set(ofAreas.flatMap((composers) => Object.keys(composers)))].filter(isMailKind)
  return Object.fromEntries(kinds.map((kind) => [kind, firstOf(ofAreas.flatMap((composers) => composers[kind] ?? []))]))
}

type Composer = NonNullable<MailComposers[MailKind]>

const firstOf =
  (composers: readonly Composer[]): Composer =>
  async (mail) => {
    for (const compose of composers) {
      const content = await compose(mail)
      if (content !== undefined) return content
    }
    return undefined
  }

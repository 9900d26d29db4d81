import type { MailOutbox } from '../../../ports/mail/outbox/outbox.js'
import type { QueuedMail } from '../../../ports/mail/outbox/queue-store.js'
import type { Submission } from './fields.js'

/** How much of a submission an e-mail shows. The outbox limits the whole. */
const limits = { fields: 20, name: 60, value: 300 } as const

const start = (text: string, max: number): string => {
  const visible = text.replaceAll(/[^\P{C}\n]/gu, ' ')
  return visible.length > max ? `${visible.slice(0, max - 1).toWellFormed()}…` : visible
}

interface NotifiedForm {
  readonly id: number
  readonly accountId: number
  readonly slug: string
}

/** Makes the e-mail about a submission. @returns undefined if svc sends none */
export type TellOwner = (form: NotifiedForm, submission: Submission) => QueuedMail | undefined

/** @param baseUrl of the console */
export const submissionNotice =
  (outbox: Pick<MailOutbox, 'prepare'>, baseUrl: string): TellOwner =>
  ({ id, accountId, slug }, { subject, fields }) => {
    const all = Object.entries(fields)
    const shown = all.slice(0, limits.fields)
    const more = all.length - shown.length
    return outbox.prepare({
      accountId,
      kind: 'form-submission',
      topic: String(id),
      content: {
        title: `New submission of the form ${slug}`,
        paragraphs: [
          subject === null ? 'The form has a new submission.' : `Subject: ${start(subject, limits.value)}`,
          ...(more > 0 ? [`Only the first ${String(limits.fields)} fields are shown.`] : []),
        ],
        facts: shown.map(([name, value]) => [start(name, limits.name), start([value].flat().join('\n'), limits.value)]),
        action: { label: 'See all submissions', url: `${baseUrl}/console/deployments/${String(id)}` },
        footer: ['A visitor of the form has written these texts: open their links with care.'],
      },
    })
  }

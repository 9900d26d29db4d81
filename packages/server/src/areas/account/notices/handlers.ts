import { noticeKinds } from '@svc/contract/limits'
import type { Areas } from '@svc/contract'
import type { Database } from '../../../db/port.js'
import type { Handlers } from '../../../http/handler.js'
import { mailKinds } from '../../../ports/mail/kinds.js'
import type { MailOutbox } from '../../../ports/mail/outbox/outbox.js'
import { optInTo, optOutOf, optOutsOf } from '../../../ports/mail/unsubscribe/opt-out-store.js'

/** Which e-mails the account gets. The choices are kept also while the server sends none. */
export const noticeHandlers = (
  db: Database,
  { isOn }: Pick<MailOutbox, 'isOn'>,
): Pick<Handlers<Areas['account']>, 'noticeList' | 'noticeUpdate'> => ({
  async noticeList(_input, { account }) {
    const off = await optOutsOf(db, account.id)
    return {
      available: isOn,
      notices: noticeKinds.map((kind) => ({ kind, what: mailKinds[kind].what, by_email: !off.has(kind) })),
    }
  },

  async noticeUpdate({ body: { kind, by_email: isWanted } }, { account }) {
    await (isWanted ? optInTo : optOutOf)(db, account.id, kind, account.actor)
    return { kind, what: mailKinds[kind].what, by_email: isWanted }
  },
})

import type { Database } from '../../../db/port.js'
import { nothingHere, type EndpointAnswer } from '../../../http/answer.js'
import type { EndpointRoute } from '../../../http/area.js'
import { mailKinds } from '../../../ports/mail/kinds.js'
import { optOutOf } from '../../../ports/mail/unsubscribe/opt-out-store.js'
import { unsubscribePath, type UnsubscribeLinks } from '../../../ports/mail/unsubscribe/links.js'
import { unsubscribePage, unsubscribedPage } from './unsubscribe-page.js'

/** `List-Unsubscribe=One-Click` (RFC 8058, section 3.2); the form of the page sends nothing. */
const bodyMaxBytes = 4_096

/** The client that opens the link of an e-mail. */
const linkActor = { kind: 'protocol', id: null, name: 'link in an e-mail' } as const

/**
 * The link in e-mails. GET only shows a page with a button, because programs that check links open them. POST switches off the kind, also
 * from the button of a mail program, without a question.
 */
export const unsubscribeRoute = (db: Database, links: UnsubscribeLinks): EndpointRoute => ({
  name: 'content.unsubscribe',
  path: `${unsubscribePath}:key`,
  methods: ['GET', 'HEAD', 'POST'],
  maxBodyBytes: bodyMaxBytes,
  async answer({ method, params, body, ip, requestId }): Promise<EndpointAnswer> {
    const found = await links.read(params['key'] ?? '')
    const what = found && mailKinds[found.kind].what
    if (found === undefined || what === null || what === undefined) throw nothingHere()
    if (method !== 'POST') return page(unsubscribePage(what))
    // Read to its end, so that the connection can be used again.
    await body()
    await optOutOf(db, found.accountId, found.kind, { ...linkActor, ip, requestId })
    return page(unsubscribedPage(what))
  },
})

const page = (html: string): EndpointAnswer => ({
  status: 200,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
  },
  body: html,
})

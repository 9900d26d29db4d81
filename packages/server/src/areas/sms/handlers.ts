import type { Areas, ConsoleAreas } from '@svc/contract'
import type { Handlers } from '../../http/handler.js'
import { pageKey } from '../../shared/page.js'
import { refuseInvisible } from '../../shared/visible-text.js'
import type { KeyStore } from './keys/store.js'
import type { DeletionStore } from './messages/deletion-store.js'
import type { MessageStore } from './messages/read-store.js'
import { keyToJson, messageToJson } from './presenter.js'

interface SmsStores {
  readonly keys: KeyStore
  readonly messages: MessageStore
}

/** Forwarded messages and forwarder keys (specification, section 4.5). */
export const smsHandlers = ({ keys, messages }: SmsStores): Handlers<Areas['sms']> => ({
  async messageList({ query }, { account }) {
    const { entries, next, total } = await messages.page(account, pageKey(query))
    return { messages: entries.map(messageToJson), next, total }
  },

  async keyList(_input, { account }) {
    return { keys: (await keys.list(account)).map(keyToJson) }
  },

  async keyCreate({ body }, { account }) {
    refuseInvisible('label', body.label)
    if (body.signing_key !== undefined) refuseInvisible('signing_key', body.signing_key)
    const created = await keys.create(account, body.label, body.signing_key)
    return { ...keyToJson(created), key: created.key }
  },

  async keyRevoke({ query: { id } }, { account }) {
    await keys.revoke(account, id)
    return { id, revoked: true }
  },

  async signingKeySet({ body: { id, signing_key: signingKey } }, { account }) {
    if (signingKey !== null) refuseInvisible('signing_key', signingKey)
    await keys.setSigningKey(account, id, signingKey)
    return { id, has_signing_key: signingKey !== null }
  },
})

/** The deletion of messages, which only the console has. */
export const messagesOfConsole = (deletions: DeletionStore): Handlers<ConsoleAreas['sms']> => ({
  messagesDelete: async ({ body: { ids } }, { account }) => ({ deleted: await deletions.delete(account, ids) }),
})

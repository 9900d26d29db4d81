import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Database } from '../../../db/port.js'
import { lazy } from '../../../shared/lazy.js'
import { isMailKind, mailKinds, type MailKind } from '../kinds.js'
import { mailKey } from './key-store.js'

/** Before the key, on the content host: it reads no cookie, and needs no sign-in. */
export const unsubscribePath = '/unsubscribe/'

/** What a link switches off. */
export interface Unsubscription {
  readonly accountId: number
  readonly kind: MailKind
}

/** Links that switch off one kind of e-mails of one account, without a sign-in. Nothing else can be done with one. */
export interface UnsubscribeLinks {
  /** The last part of the link's path. */
  readonly keyFor: (accountId: number, kind: MailKind) => Promise<string>
  /** @returns undefined for a key that this installation has not made */
  readonly read: (key: string) => Promise<Unsubscription | undefined>
}

const keyForm = /^([1-9]\d{0,15})\.([a-z-]{1,32})\.([\w-]{43})$/

/** An HMAC instead of stored secrets: a database has no link that works, except with its key. */
export function unsubscribeLinks(db: Database): UnsubscribeLinks {
  const secret = lazy(() => mailKey(db, () => randomBytes(32)))
  const macOf = async (accountId: string, kind: string) =>
    createHmac('sha256', await secret())
      .update(`unsubscribe\n${accountId}\n${kind}`)
      .digest()
  return {
    keyFor: async (accountId, kind) => {
      const mac = await macOf(String(accountId), kind)
      return `${String(accountId)}.${kind}.${mac.toString('base64url')}`
    },
    async read(key) {
      const [, accountId = '', kind = '', mac = ''] = keyForm.exec(key) ?? []
      if (!isMailKind(kind) || mailKinds[kind].what === null) return undefined
      const [sent, expected] = [Buffer.from(mac, 'base64url'), await macOf(accountId, kind)]
      if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) return undefined
      return { accountId: Number(accountId), kind }
    },
  }
}

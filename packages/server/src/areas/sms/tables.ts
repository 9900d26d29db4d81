import { removeMessagesPart } from './messages/account-removal-store.js'
import { badRequest } from '@svc/contract/errors'
import { forwarderKeysMax } from '@svc/contract/limits'
import type { Generated } from 'kysely'
import { bytes, count, id, integer, keyId, nullable, text, time } from '../../db/columns.js'
import { ofAccount, type AreaTables, type RowRule } from '../../db/table-declaration.js'
import { leftOutIfTaken } from '../../db/unique-column.js'
import { refuseInvisible } from '../../shared/visible-text.js'
import { messageText, shortText } from './formats/message.js'
import { signingKeyIdentity } from './keys/key.js'

declare module '../../db/tables.js' {
  interface Tables {
    sms_key: SmsKeyTable
    sms_inbox: SmsInboxTable
    sms_message: SmsMessageTable
  }
}

/** A forwarder key of a device. Only the SHA-256 of its value is stored. */
interface SmsKeyTable {
  id: Generated<number>
  account_id: number
  /** 1 to 5, unique in its account. */
  slot: number
  label: string
  /** The first characters of the value. */
  prefix: string
  hash: Uint8Array
  created_at: number
  last_used_at: number | null
  /** The master key of `sealed` (see `SealedColumns`); null if the device does not sign. */
  master_key_id: string | null
  /** The key with which the device signs. */
  sealed: Buffer | null
}

/** The counters of an account's messages. Its row is locked by every change of the account's messages and keys. */
interface SmsInboxTable {
  account_id: number
  /** Of the newest message. */
  last_id: number
  /** The messages up to this id are removed. The next one exists, unless all are removed. */
  removed_id: number
  /** How many of the messages after `removed_id` are deleted. */
  deleted: Generated<number>
}

/** A forwarded message. */
interface SmsMessageTable {
  account_id: number
  /** Grows from 1 in each account. Deleted messages leave gaps. */
  id: number
  /** The key may be revoked by now. */
  key_id: number
  stored_at: number
  /** On the clock of the device if it is plausible. */
  received_at: number
  /** 128 bits that are equal for repeats of one message: 48 of a time in milliseconds, 80 of a hash. */
  deduplication_key: Uint8Array
  /** Of the texts, in bytes. */
  size: number
  sender: string
  receiver: string | null
  sim: string | null
  device: string | null
  body: string
}

const sms_key: RowRule<'sms_key'> = {
  columns: {
    id,
    account_id: id,
    slot: integer(1, forwarderKeysMax),
    label: text(64 * 2),
    prefix: text(8, /^[A-Za-z0-9]+$/),
    hash: bytes(32),
    created_at: time,
    last_used_at: nullable(time),
    master_key_id: nullable(keyId),
    sealed: nullable(bytes(4096, 1)),
  },
  request: ({ label }) => ({ operation: 'sms.keyCreate', body: { label } }),
  check: ({ label, master_key_id: key, sealed }) => {
    refuseInvisible('label', label)
    if ((key === null) !== (sealed === null)) throw badRequest('sealed', 'must have the key that encrypts it')
  },
}

const sms_inbox: RowRule<'sms_inbox'> = {
  columns: { account_id: id, last_id: count, removed_id: count, deleted: count },
}

const sms_message: RowRule<'sms_message'> = {
  columns: {
    account_id: id,
    id,
    key_id: id,
    stored_at: time,
    received_at: time,
    deduplication_key: bytes(16),
    size: count,
    sender: text(256),
    receiver: nullable(text(256)),
    sim: nullable(text(256)),
    device: nullable(text(256)),
    body: text(40_000),
  },
  check: ({ body, sender, receiver, sim, device }) => {
    messageText('body', body)
    for (const [field, given] of Object.entries({ sender, receiver, sim, device }))
      if (given !== null && shortText(given) !== given) throw badRequest(field, 'has spaces at its ends')
  },
}

export const smsTables = {
  tables: {
    sms_key: {
      ...ofAccount,
      hasGeneratedId: true,
      rule: sms_key,
      sealed: (accountId, { hash }) => signingKeyIdentity(accountId, hash),
      unique: leftOutIfTaken('hash', 'bytes', ({ prefix, label }) => `The forwarder key ${prefix}… (${label})`),
    },
    sms_inbox: { ...ofAccount, rule: sms_inbox },
    sms_message: {
      ...ofAccount,
      key: ['account_id', 'id'],
      references: { account_id: 'account', key_id: 'sms_key' },
      // The key may be revoked.
      mayDangle: ['key_id'],
      rule: sms_message,
    },
  },
  removePart: removeMessagesPart,
} satisfies AreaTables

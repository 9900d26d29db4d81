import type { Generated } from 'kysely'

/** The tables of forwarded SMS messages (see `Tables`). */
export interface SmsTables {
  sms_key: SmsKeyTable
  sms_inbox: SmsInboxTable
  sms_message: SmsMessageTable
}

/** A forwarder key of a device. Only the SHA-256 of its value is stored. */
export interface SmsKeyTable {
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
export interface SmsInboxTable {
  account_id: number
  /** Of the newest message. */
  last_id: number
  /** The messages up to this id are removed. */
  removed_id: number
}

/** A forwarded message. */
export interface SmsMessageTable {
  account_id: number
  /** Grows from 1 in each account, without gaps. */
  id: number
  /** The key may be revoked by now. */
  key_id: number
  stored_at: number
  /** On the clock of the device if it is plausible. */
  received_at: number
  /** 128 bits that are equal for repeats of one message: 48 of a time in milliseconds, 80 of a hash. */
  identity: Uint8Array
  /** Of the texts, in bytes. */
  size: number
  sender: string
  receiver: string | null
  sim: string | null
  device: string | null
  body: string
}

import { badRequest } from '@svc/contract/errors'
import { forwarderKeysMax } from '@svc/contract/limits'
import { bytes, count, id, integer, keyId, nullable, text, time } from '../../db/columns.js'
import type { RowRule } from '../../db/row-rules.js'
import { refuseInvisible } from '../../shared/visible-text.js'
import { messageText, shortText } from './formats/message.js'

const sms_key: RowRule<'sms_key'> = {
  columns: {
    ...{
      id,
      account_id: id,
      slot: integer(1, forwarderKeysMax),
      label: text(64 * 2),
      prefix: text(8, /^[A-Za-z0-9]+$/),
    },
    ...{ hash: bytes(32), created_at: time, last_used_at: nullable(time) },
    ...{ master_key_id: nullable(keyId), sealed: nullable(bytes(4096, 1)) },
  },
  request: ({ label }) => ({ operation: 'sms.keyCreate', body: { label } }),
  check: ({ label, master_key_id: key, sealed }) => {
    refuseInvisible('label', label)
    if ((key === null) !== (sealed === null)) throw badRequest('sealed', 'must have the key that encrypts it')
  },
}

const sms_inbox: RowRule<'sms_inbox'> = { columns: { account_id: id, last_id: count, removed_id: count } }

const sms_message: RowRule<'sms_message'> = {
  columns: {
    ...{
      account_id: id,
      id,
      key_id: id,
      stored_at: time,
      received_at: time,
      deduplication_key: bytes(16),
      size: count,
    },
    ...{ sender: text(256), receiver: nullable(text(256)), sim: nullable(text(256)), device: nullable(text(256)) },
    body: text(40_000),
  },
  check: ({ body, sender, receiver, sim, device }) => {
    messageText('body', body)
    for (const [field, given] of Object.entries({ sender, receiver, sim, device }))
      if (given !== null && shortText(given) !== given) throw badRequest(field, 'has spaces at its ends')
  },
}

export const smsRowRules = { sms_key, sms_inbox, sms_message }

import { timestamp } from '../../shared/timestamp.js'
import type { ForwarderKey } from './keys/store.js'
import type { Message } from './messages/read-store.js'

/** A forwarder key in answers of the API, without its value. */
export const keyToJson = ({ id, label, prefix, createdAt, lastUsedAt, hasSigningKey }: ForwarderKey) => ({
  id,
  label,
  prefix,
  created_at: timestamp(createdAt),
  last_used_at: lastUsedAt === null ? null : timestamp(lastUsedAt),
  has_signing_key: hasSigningKey,
})

export const messageToJson = ({ id, sender, receiver, body, sim, device, receivedAt, keyId }: Message) => ({
  id,
  from: sender,
  to: receiver,
  body,
  sim,
  device,
  received_at: timestamp(receivedAt),
  key_id: keyId,
})

import { hash as hashOf } from 'node:crypto'
import { ApiError } from '@svc/contract/errors'
import type { ApiEndpointRoute, EndpointRequest } from '../../http/area.js'
import type { Vault } from '../../ports/vault/port.js'
import type { DeviceMessage } from './formats/message.js'
import { readMessage } from './formats/read-message.js'
import { isSigned, type Signed } from './formats/signature.js'
import { signingKeyIdentity } from './keys/key.js'
import type { DeviceKey, IntakeStore, NewMessage } from './messages/intake-store.js'

/** Larger than any message, with every byte percent-encoded. */
const bodyMaxBytes = 64 * 1024

/** The address that devices post their messages to. */
export function intakeRoute(store: IntakeStore, vault: Vault): ApiEndpointRoute {
  async function requireSignature({ accountId, hash, sealed }: DeviceKey, signed: Signed): Promise<void> {
    if (sealed === null) return
    if (!isSigned(await vault.open(sealed, signingKeyIdentity(accountId, hash)), signed)) throw notSigned()
  }

  async function answer(request: EndpointRequest): Promise<object> {
    const key = await store.find(request.params['key'] ?? '')
    if (!key) throw unknownKey()
    const body = await request.body()
    const now = Date.now()
    const { message, formSignature } = readMessage(request.header, body, now)
    await requireSignature(key, { header: request.header, body, formSignature })
    if (message === undefined) {
      await store.use(key, now)
      return { stored: false, reason: 'The event is not a text message.' }
    }
    const intake = await store.store(toRow(message, key, now), key)
    if (intake === 'revoked') throw unknownKey()
    return intake === 'stored' ? { stored: true } : { stored: false, reason: 'The message is stored already.' }
  }

  return { name: 'sms.intake', path: '/sms/:key', methods: ['POST'], maxBodyBytes: bodyMaxBytes, answer }
}

/** The key is a secret, so the message does not repeat it. */
const unknownKey = () =>
  new ApiError('not_found', 'There is no such forwarder key: it may be mistyped or revoked. Create one in the console.')

const notSigned = () =>
  new ApiError(
    'unauthorized',
    'The signature is missing or wrong: the forwarder key has a signing key, and the app must sign with the same one.',
  )

/**
 * Without a time of the device, the same text is a repeat for ten to twenty minutes: an app repeats what was not answered, first after
 * seconds.
 */
const repeatMs = 600_000

function toRow(message: DeviceMessage, { id: keyId, accountId }: DeviceKey, now: number): NewMessage {
  const { from, to, body, sim, device, receivedAt, mark } = message
  const identify = (distinct: string) => {
    const parts = [keyId, distinct, from, to, body, sim, device]
    return hashOf('sha256', JSON.stringify(parts), 'buffer').subarray(0, 16)
  }
  const period = Math.floor(now / repeatMs)
  return {
    ...{ accountId, keyId, storedAt: now, receivedAt: receivedAt ?? now },
    identity: identify(mark ?? `period ${String(period)}`),
    earlierIdentity: identify(mark ?? `period ${String(period - 1)}`),
    size: [from, to, body, sim, device].reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), 0),
    ...{ sender: from, receiver: to, sim, device, body },
  }
}

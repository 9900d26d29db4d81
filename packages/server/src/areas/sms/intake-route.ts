import { ApiError } from '@svc/contract/errors'
import type { ApiEndpointRoute, EndpointRequest } from '../../http/area.js'
import type { Vault } from '../../ports/vault/port.js'
import { turns } from '../../shared/turns.js'
import { readMessage } from './formats/read-message.js'
import { isSigned, type Signed } from './formats/signature.js'
import { signingKeyIdentity } from './keys/key.js'
import { intakeRow } from './intake-row.js'
import type { DeviceKey, IntakeStore } from './messages/intake-store.js'

/** Larger than any message, with every byte percent-encoded. */
const bodyMaxBytes = 64 * 1024

/** Usual messages are read at once. Reading a longer one takes up to a millisecond. */
const smallMaxBytes = 4096

/** The address that devices post their messages to. */
export function intakeRoute(store: IntakeStore, vault: Vault): ApiEndpointRoute {
  const oneEachTurn = turns()

  async function requireSignature({ accountId, hash, sealed }: DeviceKey, signed: Signed): Promise<void> {
    if (sealed === null) return
    if (!isSigned(await vault.open(sealed, signingKeyIdentity(accountId, hash)), signed)) throw notSigned()
  }

  async function answer(request: EndpointRequest): Promise<object> {
    const key = await store.find(request.params['key'] ?? '')
    if (!key) throw unknownKey()
    const body = await request.body()
    const now = Date.now()
    const read = () => readMessage(request.header, body, now)
    const { message, formSignature } = body.length > smallMaxBytes ? await oneEachTurn(async () => read()) : read()
    await requireSignature(key, { header: request.header, body, formSignature })
    if (message === undefined) {
      await store.use(key, now)
      return { stored: false, reason: 'The event is not a text message.' }
    }
    const intake = await store.store(intakeRow(message, key, now), key)
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

import { ApiError } from '@svc/contract/errors'
import { smsIntakePath } from '@svc/contract/limits'
import type { ApiEndpointRoute, EndpointRequest } from '../../http/area.js'
import type { DiskSpace } from '../../ports/space/port.js'
import type { Vault } from '../../ports/vault/port.js'
import { turns } from '../../shared/turns.js'
import { isKannel } from './formats/kannel.js'
import type { DeviceMessage } from './formats/message.js'
import { readMessage } from './formats/read-message.js'
import { isSigned, type SignedRequest } from './formats/signature.js'
import { intakeRow } from './intake-row.js'
import { signingKeyIdentity } from './keys/key.js'
import { KnownKeys } from './keys/known-keys.js'
import { MessageBatches } from './messages/batches.js'
import type { DeviceKey, Intake, IntakeStore } from './messages/intake-store.js'

/** Larger than the longest message, 39,015 characters in 255 parts, with each character escaped in six bytes of JSON: 234 KB. */
const bodyMaxBytes = 256 * 1024

/** Usual messages are read at once. Reading a longer one takes some milliseconds. */
const smallMaxBytes = 4096

/** How often a message is tried while its key is changed at the same time. */
const attemptsMax = 10

interface IntakePorts {
  readonly vault: Vault
  readonly space: DiskSpace
}

/** The address that devices post their messages to. */
export function intakeRoute(store: IntakeStore, { vault, space }: IntakePorts): ApiEndpointRoute {
  const oneEachTurn = turns()
  const keys = new KnownKeys(store.find)
  const batches = new MessageBatches(store.store)

  async function isPermitted({ accountId, hash, sealed }: DeviceKey, signed: SignedRequest): Promise<boolean> {
    if (sealed === null) return true
    // No signature covers the headers in which Kannel sends the fields of a message.
    if (isKannel(signed.header)) return false
    return isSigned(await vault.open(sealed, signingKeyIdentity(accountId, hash)), signed)
  }

  /** @param isKnown whether the key may have changed since it was read. Then only a stored message, which compares it, counts. */
  async function receive(key: DeviceKey, { message, signed, now }: Received, isKnown: boolean): Promise<Outcome> {
    if (!(await isPermitted(key, signed))) {
      if (isKnown) return 'changed'
      throw notSigned()
    }
    if (message !== undefined) return batches.store(key, intakeRow(message, key, now))
    if (isKnown) return 'changed'
    await store.noteUse(key, now)
    return 'no message'
  }

  async function answer(request: EndpointRequest): Promise<object> {
    const text = request.params['key'] ?? ''
    const known = await keys.get(text)
    if (!known) throw unknownKey()
    space.require()
    const body = await request.body()
    const now = Date.now()
    const read = () => readMessage(request.header, body, now)
    const { message, formSignature } = body.length > smallMaxBytes ? await oneEachTurn(async () => read()) : read()
    const received = { message, signed: { header: request.header, body, formSignature }, now }
    let outcome = await receive(known, received, true)
    for (let attempt = 1; outcome === 'changed'; attempt++) {
      const key = await keys.getAnew(text)
      // While its account is deleted, a key has no inbox.
      if (!key || attempt === attemptsMax) throw unknownKey()
      outcome = await receive(key, received, false)
    }
    return answers[outcome]
  }

  return { name: 'sms.intake', path: smsIntakePath(':key'), methods: ['POST'], maxBodyBytes: bodyMaxBytes, answer }
}

interface Received {
  readonly message: DeviceMessage | undefined
  readonly signed: SignedRequest
  readonly now: number
}

type Outcome = Intake | 'no message'

const answers = {
  stored: { stored: true },
  repeat: { stored: false, reason: 'The message is stored already.' },
  'no message': { stored: false, reason: 'The event is not a text message.' },
} as const

/** The key is a secret, so the message does not repeat it. */
const unknownKey = () =>
  new ApiError('not_found', 'The forwarder key is unknown: mistyped or revoked. Create one in the console.')

const notSigned = () =>
  new ApiError(
    'unauthorized',
    'The signature is missing or wrong: the forwarder key has a signing key, and the app must sign with the same one.',
  )

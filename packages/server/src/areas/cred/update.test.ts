import { expect, it } from 'vitest'
import { noLimits } from '../../shared/account-limits.js'
import { operatorActor } from '../../shared/actor.js'
import { changedMeanwhile, type Credential, type SealedCredential } from './store.js'
import { updateCredential } from './update.js'

const account = {
  id: 1,
  email: 'ada@example.com',
  nickname: '',
  createdAt: 0,
  limits: noLimits,
  actor: operatorActor('test'),
}
const stored = (secret: string): SealedCredential => ({
  ...{ id: 4, platform: 'a', label: '', username: null, createdAt: 0, updatedAt: 0 },
  sealed: Buffer.from(secret),
})

/** Credentials that other requests change before each of the first updates. The vault encrypts nothing. */
function credentialsThatChange(times: number) {
  let reads = 0
  const updates: string[] = []
  const credentials = {
    get: () => Promise.resolve(stored(`secret ${String(++reads)}`)),
    update: (
      _account: object,
      { before, after, sealed }: { before: object; after: object; sealed: { bytes: Uint8Array } },
    ) => {
      updates.push(Buffer.from(sealed.bytes).toString())
      const result: Credential = { ...stored(''), ...before, ...after }
      return Promise.resolve(updates.length > times ? result : changedMeanwhile)
    },
  }
  const vault = {
    seal: <R>(
      text: string,
      _identity: unknown,
      store: (sealed: { masterKeyId: string; bytes: Buffer }) => Promise<R>,
    ) => store({ masterKeyId: 'k', bytes: Buffer.from(text) }),
    openAll: (entries: readonly { sealed: Uint8Array }[]) =>
      Promise.resolve(entries.map(({ sealed }) => Buffer.from(sealed).toString())),
  }
  return { dependencies: { credentials, vault } as unknown as Parameters<typeof updateCredential>[0], updates }
}

it('begins again with the new secret if another request has changed the credential', async () => {
  const { dependencies, updates } = credentialsThatChange(2)
  const updated = await updateCredential(dependencies, account, { id: 4, label: 'x' })
  expect(updates).toEqual(['secret 1', 'secret 2', 'secret 3'])
  expect(updated).toMatchObject({ label: 'x', secret: 'secret 3' })
})

it('gives up after three attempts', async () => {
  const { dependencies, updates } = credentialsThatChange(3)
  await expect(updateCredential(dependencies, account, { id: 4, label: 'x' })).rejects.toThrow(
    'Other requests change this credential at the same time: repeat the request.',
  )
  expect(updates).toHaveLength(3)
})

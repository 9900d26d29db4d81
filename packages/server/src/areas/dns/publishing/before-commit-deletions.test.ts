import { expect, it } from 'vitest'
import { FakeDns } from '../../../../test/fake-dns.js'
import { Deadline } from '../../../ports/dns/deadline.js'
import { deletionsBeforeCommit } from './before-commit-deletions.js'

const zone = 'example.com'
const stored = { zone, serial: 7, holder: 1, rrsets: [] }

/** A provider that serves a zone, and a database whose commit of the deletion fails. @param isCommitted whether it takes effect nevertheless */
async function failing(isCommitted: boolean) {
  const provider = new FakeDns(true)
  await provider.setZone(stored)
  const fail = () => Promise.reject(new Error('The connection was lost.'))
  const time = { work: Deadline.in(1_000), restore: Deadline.in(2_000) }
  const { deleteZone } = deletionsBeforeCommit({
    stores: {
      deletions: { deleteZone: fail, removeFromZone: fail, isHolder: async () => true },
      zones: { has: async () => !isCommitted, contents: async () => stored, serial: async () => stored.serial },
    },
    provider,
    withZoneLock: (_zone, change) => change(time),
    reportRestoreFailed: () => expect.fail('The zone is restored.'),
  })
  return { provider, deleteZone }
}

it('a deletion whose commit fails leaves the zone at the provider', async () => {
  const { provider, deleteZone } = await failing(false)
  await expect(deleteZone(zone)).rejects.toThrow('The connection was lost.')
  expect(provider.held.has(zone)).toBe(true)
})

it('a deletion that was committed although its answer was lost succeeds', async () => {
  const { provider, deleteZone } = await failing(true)
  await deleteZone(zone)
  expect(provider.held.has(zone)).toBe(false)
})

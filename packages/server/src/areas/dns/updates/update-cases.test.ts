import { describe, expect, it } from 'vitest'
import { ApiError } from '@svc/contract/errors'
import { updatePacket, type UpdateParts } from '../../../../test/dns-update.js'
import {
  changeCases,
  nameservers,
  prerequisiteCases,
  recordsBefore,
  serialBefore,
  type UpdateCase,
} from '../../../../test/update-cases.js'
import { operatorActor } from '../../../shared/actor.js'
import { runAtOnce } from '../../../shared/time-slices.js'
import type { PlannedZone } from '../records/plan.js'
import type { StoredRecord } from '../records/record.js'
import { planUpdate } from './plan-update.js'
import { rcode } from '../../../ports/dns/embedded/codes.js'
import { readUpdate } from './read-update.js'

/** The decisions of RFC 2136, sections 3.2 to 3.4, in memory. e2e/updates-knot.test.ts has the answers of Knot to the same messages. */

const zone = 'zone.example'
const apex = { nameservers, hostmaster: 'hostmaster@svc.example' }
const now = '2026-11-22T00:00:00.000Z'
const cap = { recordsMax: 100, zoneBytesMax: 10_000 }

const rows = recordsBefore.map((record, index): StoredRecord => ({
  ...record,
  id: index + 1,
  created_at: '2026-11-01',
  updated_at: '2026-11-01',
}))
const planned: PlannedZone = {
  ...{ id: 5, accountId: 1, zone, rules: undefined, actor: operatorActor('test') },
  ...{ serial: serialBefore, last_record_id: rows.length, content_bytes: 500 },
}

const nameOf = new Map<number, string>(Object.entries(rcode).map(([name, code]) => [code, name.toUpperCase()] as const))

function outcomeOf(packet: Buffer, limits = cap) {
  const read = readUpdate(packet, apex)
  if (typeof read === 'number') return { rcode: nameOf.get(read), effect: [] }
  expect(read.zone).toBe(zone)
  const update = structuredClone(read.update)
  try {
    const plan = runAtOnce(planUpdate(planned, rows.length, rows, update, limits, now))
    const textOf = ({ host, type, value, ttl, priority }: StoredRecord) =>
      [host, type, ...(priority === null ? [] : [priority]), value, ttl].join(' ')
    const effect = [...plan.removed.map((one) => `-${textOf(one)}`), ...plan.added.map((one) => `+${textOf(one)}`)]
    expect(plan.step).toBe(effect.length === 0 ? 'none' : 'replace')
    return { rcode: nameOf.get(plan.rcode), effect }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { rcode: 'REFUSED', effect: [] }
  }
}

const send = (parts: Omit<UpdateParts, 'zone'>) => outcomeOf(updatePacket({ zone, ...parts }))

describe.each([
  ['prerequisites', prerequisiteCases],
  ['changes', changeCases],
])('%s', (_, cases) => {
  it.each(cases.map((one) => [one.title, one] as const))('%s', (_title, one: UpdateCase) => {
    const { when: prerequisites = [], then: updates = [], rcode: code, effect = [] } = one
    expect(send({ prerequisites, updates })).toEqual({ rcode: code, effect })
  })
})

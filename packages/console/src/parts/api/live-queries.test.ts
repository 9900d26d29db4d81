import { eventAreas } from '@svc/contract/events'
import { expect, it } from 'vitest'
import { isChanged } from './live-queries.js'

/** Which answers are read again after an event. */

const record = { area: 'dns', zone: 'a.example' }
const claim = { area: 'dns' }

it.each([
  [true, ['dns', 'recordList', 'a.example'], [record]],
  [true, ['dns', 'history', 'a.example', { host: undefined }], [record]],
  [true, ['dns', 'zoneList', 'verified'], [record]],
  [false, ['dns', 'recordList', 'b.example'], [record]],
  [true, ['dns', 'recordList', 'b.example'], [record, { area: 'dns', zone: 'b.example' }]],
  [true, ['dns', 'recordList', 'b.example'], [claim]],
  [false, ['files', 'list', {}], [record, claim]],
  [true, ['cdn', 'stats'], [{ area: 'files' }]],
  [true, ['keys', 'list'], [{ area: 'account' }]],
  [true, ['sites', 'domains'], [{ area: 'tls' }]],
  [true, ['robots', 'list'], [{ area: 'robots' }]],
  [false, ['dns', 'delegation', 'a.example'], [record, claim]],
  [false, ['dns', 'historyRevert', 'a.example', { serial: 1 }], [record, claim]],
  [true, ['files', 'list', {}], undefined],
  [false, ['dns', 'historyRevert', 'a.example', { serial: 1 }], undefined],
  [false, ['public', 'ip'], undefined],
] as const)('%s for %j after %j', (expected, queryKey, events) => {
  expect(isChanged(queryKey, events)).toBe(expected)
})

it.each(eventAreas)('an event of %s changes the overview, the activity, and a list of its area', (area) => {
  const first = area === 'account' ? 'keys' : area
  const keys = [['overview'], ['account', 'eventList', {}], [first, 'list']]
  expect(keys.map((queryKey) => isChanged(queryKey, [{ area }]))).toEqual([true, true, true])
})

import { expect, it } from 'vitest'
import { areaNames, operations } from '@svc/contract'
import { mountedOperations, type AreaList } from './mounted.js'

const door = { identify: () => Promise.reject(new Error('not called')) }

it('an operation without a handler fails the start, with its id in the message', () => {
  const empty = Object.fromEntries(areaNames.map((name) => [name, { handlers: {} }])) as unknown as AreaList
  expect(() =>
    mountedOperations(empty, { find: () => ({ found: [], complete: true }) }, { token: door, session: door }),
  ).toThrow(`No area handles the operation ${operations[0]!.id}.`)
})

import { expect, it } from 'vitest'
import { areaNames, operations } from '@svc/contract'
import { mountedOperations, type AreaList } from './mounted.js'

const notCalled = () => Promise.reject(new Error('not called'))
const door = { identify: notCalled }

it('an operation without a handler fails the start, with its id in the message', () => {
  const empty = Object.fromEntries(areaNames.map((name) => [name, { handlers: {} }])) as unknown as AreaList
  const ofServer = { overview: { show: notCalled }, search: { find: notCalled } }
  expect(() => mountedOperations(empty, { token: door, session: door }, ofServer)).toThrow(
    `No area handles the operation ${operations[0]!.id}.`,
  )
})

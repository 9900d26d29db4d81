import { expect, it } from 'vitest'
import { accountTables } from './tables.js'

const { columns } = accountTables.tables.account.rule

it.each([
  ['state', 'active', undefined],
  ['state', 'idle', 'must be one of active, suspended, stopped, deleted'],
  ['limits', '{"zones":1}', undefined],
  ['limits', '{"cats":1}', 'has another form than values that svc stores'],
  ['limits', '{"zones":-1}', 'has another form than values that svc stores'],
  ['limits', '[]', 'has another form than values that svc stores'],
  ['plan', null, undefined],
  ['plan', 'team-2', undefined],
  ['plan', 'Team', 'does not have the form of values that svc stores'],
] as const)('the column %s of an account with %j: %s', (column, value, problem) => {
  expect(columns[column](value)).toBe(problem)
})

import { expect, it } from 'vitest'
import { nodeProblem } from './node-version.js'

it.each([
  ['v20.20.2', '2026-01-01', undefined],
  ['v20.20.2', '2026-03-15', 'Node.js v20.20.2 gets security updates only until 2026-04-30.'],
  [
    'v20.20.2',
    '2026-11-23',
    'Node.js v20.20.2 gets no security updates any more: its maintenance ended on 2026-04-30.',
  ],
  ['v24.1.0', '2026-11-23', undefined],
  ['v31.0.0', '2030-01-01', undefined],
])('Node.js %s gets on %s the warning: %s', (version, day, problem) => {
  expect(nodeProblem(version, Date.parse(day))).toBe(problem)
})

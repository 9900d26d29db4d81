import { expect, it } from 'vitest'
import type { BlobOwner, BlobRow, Finding } from '@svc/server'
import { sections } from '../../server/src/commands/doctor/finding.js'
import { Findings } from '../../server/src/ports/blobs/inspect.js'
import { findingLines, storedFilesToJson, summaryOf } from '../src/doctor-report.js'

it.each<[BlobOwner | undefined]>([
  [{ email: 'ada@example.com', kind: 'file', name: '7' }],
  [{ email: 'ada@example.com', kind: 'artifact', name: 'tool/1.0/a.tgz' }],
  [{ email: 'ada@example.com', kind: 'site' }],
  [undefined],
])('JSON has the owner %j of lost bytes', (owner) => {
  const missing = new Findings<BlobRow>()
  missing.add({ key: 'key', size: 5 })
  const rows = { rows: 1, missing, otherSize: new Findings<never>(), unknown: new Findings<never>() }
  const { kind = null, name = null, email = null } = owner ?? {}
  const json = storedFilesToJson({ rows, objects: undefined, owners: new Map(owner && [['key', owner]]) })
  expect(json.rows?.missing.first).toEqual([{ key: 'key', size: 5, kind, name, email }])
  expect(json.objects).toBeNull()
})

it('prints a line for each finding under the title of its section, then its entries and what to do', () => {
  const findings: Finding[] = [
    { section: 'disk', status: 'ok', message: 'Enough.' },
    { section: 'disk', status: 'error', message: 'Full.', remedy: 'Free some.', details: ['/a'] },
  ]
  expect(findingLines(findings, sections)).toEqual([
    'Disk space',
    '  ok       Enough.',
    '  error    Full.',
    '             /a',
    '           Free some.',
  ])
  expect(findingLines([], sections)).toEqual([])
})

const found = (...statuses: Finding['status'][]): Finding[] =>
  statuses.map((status) => ({ section: 'disk', status, message: '' }))

it.each<[Finding[], boolean, string]>([
  [found('ok'), true, 'All is well.'],
  [found('ok', 'warning'), true, 'svc doctor has found 1 warning.'],
  [found('warning', 'error', 'error', 'warning'), false, 'svc doctor has found 2 errors and 2 warnings.'],
])('the summary counts the errors and warnings of %j', (findings, isWell, text) => {
  expect(summaryOf(findings)).toEqual({ isWell, text })
})

import { expect, it } from 'vitest'
import type { BlobRow, Diagnosis } from '@svc/server'
import { Findings } from '../../server/src/ports/blobs/inspect.js'
import { diagnosisToJson, reportOf } from '../src/doctor-report.js'

type Owner = Diagnosis['storage']['owners'] extends ReadonlyMap<string, infer O> ? O : never

const diagnosisOf = (owner: Owner | undefined): Diagnosis => {
  const missing = new Findings<BlobRow>()
  missing.add({ key: 'key', size: 5 })
  return {
    conflicts: [],
    storage: {
      ...{ isOwned: true, failures: [], objects: undefined },
      rows: { rows: 1, missing, otherSize: new Findings(), unknown: new Findings() },
      owners: new Map(owner && [['key', owner]]),
    },
  }
}

it.each<[Owner | undefined, string]>([
  [{ email: 'ada@example.com', kind: 'file', name: '7' }, 'the file 7 of ada@example.com'],
  [
    { email: 'ada@example.com', kind: 'artifact', name: 'tool/1.0/a.tgz' },
    'the artifact tool/1.0/a.tgz of ada@example.com',
  ],
  [{ email: 'ada@example.com', kind: 'site' }, 'the sites of ada@example.com'],
  [undefined, 'an unknown owner'],
])('the owner %j of lost bytes is %s', (owner, text) => {
  const diagnosis = diagnosisOf(owner)
  expect(reportOf(diagnosis).problems[0]?.[1]).toBe(`  key: 5 bytes of ${text}`)
  const { kind = null, name = null, email = null } = owner ?? {}
  expect(diagnosisToJson(diagnosis, false).rows?.missing.first).toEqual([{ key: 'key', size: 5, kind, name, email }])
})

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { svc } from '../../packages/cli/test/svc.js'
import { sqlOf } from '../stored-files.js'
import { guardedServer, recordsPath, zone } from './guarded-server.js'

/** The rules of a token do not block the event loop while they are applied to a large zone. */

const { place, send, post, expectNoGap } = guardedServer('sqlite')

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)
const lines = numbers(9_500).map((i) => `host${i}.sub.example 300 IN A 10.0.${i >> 8}.${i & 255}`)

beforeAll(async () => {
  const file = join(place().cwd, 'zone.txt')
  await writeFile(file, `${lines.join('\n')}\n`)
  expect((await svc(['dns', 'import', zone, file, '--replace'], place())).code).toBe(0)
  // As many rules and hosts as a token may have. Only the last one fits the records.
  const hosts = [...numbers(99).map((i) => `*.sub${i}.example`), '**']
  const rules = [
    ...numbers(49).map((i) => ({ kind: 'zone', name: `zone${i}.example`, access: 'write' })),
    { kind: 'zone', name: zone, access: 'write', hosts },
  ]
  await sqlOf(place(), `update token set rules = '${JSON.stringify(rules)}'`)
})

it('4 lists of 9,500 records of a token with 50 rules and 100 hosts', async () => {
  await expectNoGap(async () => {
    const answers = await Promise.all(numbers(4).map(() => send({ path: recordsPath })))
    for (const answer of answers) expect(answer?.text.split('"id":').length).toBe(lines.length + 1)
  })
})

it('4 previews of a zone file of 9,500 records of a token with 50 rules and 100 hosts', async () => {
  const text = lines.join('\n')
  await expectNoGap(async () => {
    const answers = await Promise.all(numbers(4).map(() => post(`/v1/dns/zones/${zone}/zone-file/preview`, { text })))
    for (const answer of answers) expect(answer?.status, answer?.text.slice(0, 300)).toBe(200)
  })
})

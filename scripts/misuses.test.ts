import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const oxlint = join(root, 'node_modules/.bin/oxlint')

/** The rule alone: its scope is that of the repository. */
const config = {
  categories: { correctness: 'off' },
  jsPlugins: [join(root, 'scripts/misuses.js')],
  rules: { 'svc/misuses': 'error' },
}

const declared = "unit(import.meta, 'setNickname', async () => undefined)"
const query = (built: string) => `prepared((db, p, dialect) => ${built})`

const units = {
  refused: [
    `function declare() { ${declared} }`,
    `export const declare = () => ${declared}`,
    `export const store = (db) => ({ set: () => db.write(${declared}) })`,
  ],
  allowed: [`export const setNickname = ${declared}`],
}

const queries = {
  refused: [
    'p.id ? db.one() : db.two()',
    '!p.id ? db.one() : db.two()',
    'p.id === null ? db.one() : db.two()',
    'db.where(p.id ?? 1)',
    'db.where(p.id && 1)',
    'db.where(p.id + 1)',
    'db.$if(p.id > 1, (query) => query.forUpdate())',
    '{ if (p.id) return db.one(); return db.two() }',
    "{ if (p.id === null || dialect === 'postgres') return db.one(); return db.two() }",
  ].map(query),
  allowed: [
    ...[
      "dialect === 'postgres' ? db.where(p.id) : db.where(p.name)",
      "db.where('id', '=', p.id)",
      "db.$if(dialect === 'postgres', (query) => query.where(p.id))",
    ].map(query),
    'export const isNew = (p) => p.id === null',
  ],
}

const texts = [units, queries].flatMap(({ refused, allowed }) => [...refused, ...allowed])

/** The indexes of the texts with a finding. */
let found: Set<number>
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-misuses-'))
  await writeFile(join(folder, '.oxlintrc.json'), JSON.stringify(config))
  await Promise.all(texts.map((text, index) => writeFile(join(folder, `${String(index)}.ts`), `${text}\n`)))
  const run = promisify(execFile)(oxlint, ['--format', 'unix'], { cwd: folder })
  const { stdout } = await run.catch((error: unknown) => error as { stdout: string })
  found = new Set([...stdout.matchAll(/^(\d+)\.ts:.*svc\(misuses\)/gm)].map(([, index]) => Number(index)))
})
afterAll(() => rm(folder, { recursive: true }))

describe.each(Object.entries({ 'a unit of work': units, 'a prepared query': queries }))('%s', (_, cases) => {
  it.each(cases.refused)('is refused: %s', (text) => expect(found).toContain(texts.indexOf(text)))
  it.each(cases.allowed)('is allowed: %s', (text) => expect(found).not.toContain(texts.indexOf(text)))
})

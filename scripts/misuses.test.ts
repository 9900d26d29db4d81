import { fileURLToPath } from 'node:url'
import { Linter } from 'eslint'
import { describe, expect, it } from 'vitest'

const root = new URL('..', import.meta.url)
const config = (await import(new URL('eslint.config.js', root).href)) as { readonly default: Linter.Config[] }
const linter = new Linter({ cwd: fileURLToPath(root) })

const refused = (file: string, text: string): boolean =>
  linter.verify(text, config.default, `packages/${file}`).some(({ ruleId }) => ruleId === 'no-restricted-syntax')

describe('units of work', () => {
  const file = 'server/src/areas/dns/records/store.ts'
  const declared = "unit(import.meta, 'setNickname', async () => undefined)"

  it.each([
    `function declare() { ${declared} }`,
    `export const declare = () => ${declared}`,
    `export const store = (db) => ({ set: () => db.write(${declared}) })`,
  ])('%s is refused: it is not at the top level', (text) => {
    expect(refused(file, `${text}\n`)).toBe(true)
  })

  it('units of work may stand at the top level, in every layer', () => {
    expect(refused(file, `export const setNickname = ${declared}\n`)).toBe(false)
    expect(refused('server/src/db/store.ts', `export const declare = () => ${declared}\n`)).toBe(true)
  })
})

describe('prepared queries', () => {
  const query = (built: string) => refused('server/src/areas/dns/store.ts', `prepared((db, p, dialect) => ${built})\n`)

  it.each([
    'p.id ? db.one() : db.two()',
    '!p.id ? db.one() : db.two()',
    'p.id === null ? db.one() : db.two()',
    'db.where(p.id ?? 1)',
    'db.where(p.id && 1)',
    'db.where(p.id + 1)',
    'db.$if(p.id > 1, (query) => query.forUpdate())',
    '{ if (p.id) return db.one(); return db.two() }',
    "{ if (p.id === null || dialect === 'postgres') return db.one(); return db.two() }",
  ])('%s is refused: it would read the placeholder', (built) => {
    expect(query(built)).toBe(true)
  })

  it.each([
    "dialect === 'postgres' ? db.where(p.id) : db.where(p.name)",
    "db.where('id', '=', p.id)",
    "db.$if(dialect === 'postgres', (query) => query.where(p.id))",
  ])('%s is allowed', (built) => {
    expect(query(built)).toBe(false)
  })

  it('p may be compared outside of a prepared query', () => {
    expect(refused('server/src/areas/dns/store.ts', 'export const isNew = (p) => p.id === null\n')).toBe(false)
  })
})

import { fileURLToPath } from 'node:url'
import { ESLint } from 'eslint'
import { describe, expect, it } from 'vitest'

const eslint = new ESLint({ cwd: fileURLToPath(new URL('..', import.meta.url)) })

async function refused(file: string, text: string): Promise<boolean> {
  const [result] = await eslint.lintText(text, { filePath: `packages/${file}` })
  return result!.messages.some(({ ruleId }) => ruleId === 'no-restricted-imports' || ruleId === 'no-restricted-syntax')
}

const forbidden = [
  ['contract/src/a.ts', '@svc/server'],
  ['contract/src/a.ts', 'node:fs'],
  ['contract/src/a.ts', 'fs/promises'],
  ['contract/src/limits.ts', 'typebox'],
  ['contract/src/errors.ts', './schema.js'],
  ['contract/src/group-by.ts', './schema.js'],
  ['contract/src/public-name.ts', './schema.js'],
  ['contract/src/scopes.ts', './schema.js'],
  ['client/src/a.ts', '@svc/server'],
  ['client/src/a.ts', '@svc/server/deep'],
  ['client/src/a.ts', '../../contract/src/index.js'],
  ['server/src/a.ts', '@svc/client'],
  ['server/src/areas/dns/handlers.ts', '@svc/client'],
  ['server/src/areas/dns/handlers.ts', '../files/store.js'],
  ['server/src/areas/dns/handlers.ts', '../../app.js'],
  ['server/src/areas/dns/records/store.ts', '../../files/store.js'],
  ['server/src/areas/dns/records/store.ts', '../../../http/mount.js'],
  ['server/src/areas/dns/handlers.ts', '../../http/mount.js'],
  ['server/src/areas/dns/records/types/srv.ts', '../../../files/store.js'],
  ['server/src/areas/dns/records/types/srv.ts', '../../../../http/mount.js'],
  ['server/src/http/mount.ts', '../areas/dns/handlers.js'],
  ['server/src/http/mount.ts', '../config/settings.js'],
  ['server/src/ports/blobs/select.ts', '../../http/mount.js'],
  ['server/src/db/connect.ts', '../ports/dns/port.js'],
  ['server/src/db/sqlite/writer.ts', '../../areas/dns/records/store.js'],
  ['server/src/db/connect.ts', '../app/ports.js'],
  ['server/src/ports/dns/select.ts', '../../serve/listen.js'],
  ['server/src/shared/account.ts', '../db/port.js'],
  ['console/src/a.tsx', '@svc/server'],
] as const

const allowed = [
  ['contract/src/a.ts', './operation.js'],
  ['contract/src/a.ts', 'typebox'],
  ['client/src/a.ts', '@svc/contract'],
  ['server/src/app.ts', './areas/dns/handlers.js'],
  ['server/src/areas/dns/handlers.ts', '@svc/contract'],
  ['server/src/areas/dns/handlers.ts', './store.js'],
  ['server/src/areas/dns/handlers.ts', '../../db/connect.js'],
  ['server/src/areas/dns/handlers.ts', '../../ports/dns/port.js'],
  ['server/src/areas/dns/handlers.ts', '../../http/handler.js'],
  ['server/src/areas/dns/records/store.ts', '../zones/verified-store.js'],
  ['server/src/areas/dns/records/store.ts', '../../../db/connect.js'],
  ['server/src/areas/dns/records/types/srv.ts', '../../zones/store.js'],
  ['server/src/areas/dns/records/types/srv.ts', '../../../../db/connect.js'],
  ['server/src/areas/account/passwords.ts', '../../lazy.js'],
  ['server/src/areas/dns/dns.http.test.ts', '../../app.js'],
  ['cli/src/a.ts', '@svc/server'],
] as const

describe('the import rule', () => {
  it.each(forbidden)('%s may not import %s', async (file, from) => {
    expect(await refused(file, `import x from '${from}'\nx()\n`)).toBe(true)
    expect(await refused(file, `void import('${from}')\n`)).toBe(true)
    expect(await refused(file, `export * from '${from}'\n`)).toBe(true)
  })

  it.each(allowed)('%s may import %s', async (file, from) => {
    expect(await refused(file, `import x from '${from}'\nvoid import('${from}')\nx()\n`)).toBe(false)
  })
})

describe('units of work', () => {
  const file = 'server/src/areas/dns/records/store.ts'
  const declared = "unit(import.meta, 'setNickname', async () => undefined)"

  it.each([
    `function declare() { ${declared} }`,
    `export const declare = () => ${declared}`,
    `export const store = (db) => ({ set: () => db.write(${declared}) })`,
  ])('%s is refused: it is not at the top level', async (text) => {
    expect(await refused(file, `${text}\n`)).toBe(true)
  })

  it('may stand at the top level, in every layer', async () => {
    expect(await refused(file, `export const setNickname = ${declared}\n`)).toBe(false)
    expect(await refused('server/src/db/store.ts', `export const declare = () => ${declared}\n`)).toBe(true)
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
  ])('%s is refused: it would read the placeholder', async (built) => {
    expect(await query(built)).toBe(true)
  })

  it.each([
    "dialect === 'postgres' ? db.where(p.id) : db.where(p.name)",
    "db.where('id', '=', p.id)",
    "db.$if(dialect === 'postgres', (query) => query.where(p.id))",
  ])('%s is allowed', async (built) => {
    expect(await query(built)).toBe(false)
  })

  it('p may be compared outside of a prepared query', async () => {
    expect(await refused('server/src/areas/dns/store.ts', 'export const isNew = (p) => p.id === null\n')).toBe(false)
  })
})

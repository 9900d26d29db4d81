import { fileURLToPath } from 'node:url'
import { ESLint } from 'eslint'
import tseslint from 'typescript-eslint'
import { describe, expect, it } from 'vitest'

const eslint = new ESLint({
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  // The rule needs no types, so the files below need not exist.
  overrideConfig: tseslint.configs.disableTypeChecked,
})

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
  ['server/src/http/mount.ts', '../areas/dns/handlers.js'],
  ['server/src/ports/blobs/select.ts', '../../http/mount.js'],
  ['server/src/db/connect.ts', '../ports/dns/port.js'],
  ['server/src/db/sqlite/writer.ts', '../../areas/dns/records/store.js'],
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

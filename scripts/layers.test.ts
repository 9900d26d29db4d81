import { expect, it } from 'vitest'
import { imports } from './import-graph.js'
import { layersOf, packages, problemOf } from './layers.js'

it.each([
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
  ['client/src/a.ts', '../../contract/dist/index.js'],
  ['client/src/a.ts', '@svc/contract/dist/index.js'],
  ['server/src/a.ts', '@svc/client'],
  ['server/src/a.ts', './index.js'],
  ['server/src/areas/dns/handlers.ts', '@svc/client'],
  ['server/src/areas/dns/handlers.ts', '../files/store.js'],
  ['server/src/areas/dns/handlers.ts', '../../app/app.js'],
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
  ['server/src/db/port.ts', 'vitest'],
  ['server/src/db/port.ts', '../../test/app.js'],
  ['console/src/a.tsx', '@svc/server'],
  ['console/src/parts/page.tsx', '../areas/dns/area.js'],
  ['console/src/parts/page.tsx', '../app/router.js'],
  ['console/src/areas/dns/records.tsx', '../files/area.js'],
  ['console/src/areas/dns/records.tsx', '../overview/area.js'],
  ['console/src/areas/dns/records.tsx', '../../app/router.js'],
  ['console/src/areas/overview/area.ts', '../../app/router.js'],
])('%s may not import %s', (module, specifier) => {
  expect(problemOf(module, specifier)).toEqual(expect.any(String))
})

it.each([
  ['contract/src/a.ts', './operation.js'],
  ['contract/src/a.ts', 'typebox'],
  ['client/src/a.ts', '@svc/contract'],
  ['server/src/app/app.ts', '../areas/dns/handlers.js'],
  ['server/src/areas/dns/handlers.ts', '@svc/contract'],
  ['server/src/areas/dns/handlers.ts', './store.js'],
  ['server/src/areas/dns/handlers.ts', '../../db/connect.js'],
  ['server/src/areas/dns/handlers.ts', '../../ports/dns/port.js'],
  ['server/src/areas/dns/handlers.ts', '../../http/handler.js'],
  ['server/src/areas/dns/records/store.ts', '../zones/verified-store.js'],
  ['server/src/areas/dns/records/store.ts', '../../../db/connect.js'],
  ['server/src/areas/dns/records/types/srv.ts', '../../zones/store.js'],
  ['server/src/areas/dns/records/types/srv.ts', '../../../../db/connect.js'],
  ['server/src/areas/account/passwords.ts', '../../shared/lazy.js'],
  ['server/src/areas/dns/dns.http.test.ts', '../../app/app.js'],
  ['cli/src/a.ts', '@svc/server'],
  ['console/src/areas/dns/records.tsx', '../../parts/page.js'],
  ['console/src/areas/dns/records.tsx', './record-fields.js'],
  ['console/src/areas/overview/area.ts', '../dns/queries.js'],
  ['console/src/app/router.tsx', '../areas/dns/area.js'],
])('%s may import %s', (module, specifier) => {
  expect(problemOf(module, specifier)).toBeUndefined()
})

it.each(Object.entries({ packages, ...layersOf }))(
  'each layer of %s imports only layers above it in the table',
  (_, layers) => {
    const names = Object.keys(layers)
    for (const [layer, imported] of Object.entries(layers))
      for (const name of imported)
        expect(names.slice(0, names.indexOf(layer))).toContain(names.includes(name) ? name : name.split('/')[0])
  },
)

it('no module imports what its layer may not import', () => {
  const problems = [...imports].flatMap(([module, all]) =>
    all.flatMap(({ specifier }) => {
      const problem = problemOf(module, specifier)
      return problem === undefined ? [] : `${module} imports ${specifier}. ${problem}`
    }),
  )
  expect(problems).toEqual([])
})

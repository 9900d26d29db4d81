import { fileURLToPath } from 'node:url'
import { consoleOperations, operations, type Operation } from '@svc/contract'
import { runnerImport } from 'vite'
import { expect, it } from 'vitest'

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url))

interface Contract {
  readonly operations: readonly Operation[]
  readonly consoleOperations: readonly Operation[]
}

it('every operation has the same schemas with the constructors of the console as with TypeBox', async () => {
  const alias = [{ find: /^typebox$/, replacement: file('../vite/schemas.ts') }]
  const { module } = await runnerImport<Contract>(file('../../contract/src/index.ts'), {
    configFile: false,
    logLevel: 'error',
    resolve: { alias },
  })
  const plain = [...module.operations, ...module.consoleOperations]
  const full = [...operations, ...consoleOperations]
  expect(plain.map(asJson)).toEqual(full.map(asJson))
})

/** TypeBox has hidden fields, which no document shows. */
const asJson = (op: Operation): unknown => JSON.parse(JSON.stringify(op))

import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openapi, operations } from '../src/index.js'
import { samples } from './emit-samples.js'

/** Checks the document with two independent validators: the official JSON Schema of OpenAPI 3.1, and the rules of Redocly. */

const require = createRequire(import.meta.url)
const redocly = join(dirname(require.resolve('@redocly/cli/package.json')), 'bin', 'cli.js')
const config = fileURLToPath(new URL('../../../redocly.yaml', import.meta.url))
// No update check over the network.
const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

interface Report {
  readonly totals: { readonly errors: number; readonly warnings: number }
  readonly problems: readonly { readonly ruleId: string; readonly message: string }[]
}

let directory = ''
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-openapi-'))
})
afterAll(() => rm(directory, { recursive: true }))

async function lint(name: string, document: object): Promise<Report> {
  const file = join(directory, `${name}.json`)
  await writeFile(file, JSON.stringify(document))
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [redocly, 'lint', file, '--config', config, '--format', 'json'],
      { env, cwd: directory, maxBuffer: 64 * 1024 * 1024 },
      // Its exit code is 1 if it finds problems, which are in the report.
      (error, stdout) => {
        if (stdout.startsWith('{')) resolve(JSON.parse(stdout) as Report)
        else reject(error ?? new Error(`No report: ${stdout}`))
      },
    )
  })
}

describe.each([
  ['the whole contract', openapi(operations)],
  ['the samples', openapi([...samples].map((op) => ({ ...op, id: op.id.replace('things', 'files') })))],
])('%s', (name, document) => {
  it('is valid against the JSON Schema of OpenAPI 3.1', async () => {
    const result = await new Validator().validate({ ...structuredClone(document) })
    expect(result).toEqual({ valid: true })
  })

  it('has no errors and warnings under the recommended rules', async () => {
    const report = await lint(name.replaceAll(' ', '-'), document)
    expect(report.problems).toEqual([])
    expect(report.totals).toMatchObject({ errors: 0, warnings: 0 })
  }, 30_000)
})

describe('an invalid document', () => {
  const right = openapi(samples)

  it('an invalid document is invalid against the JSON Schema', async () => {
    const { info: _info, ...wrong } = right
    expect((await new Validator().validate(wrong)).valid).toBe(false)
  })

  it('an invalid document has errors under the rules', async () => {
    const report = await lint('wrong', { ...right, components: { ...right.components, responses: {} } })
    expect(report.problems.map((problem) => problem.ruleId)).toContain('no-unresolved-refs')
  }, 30_000)
})

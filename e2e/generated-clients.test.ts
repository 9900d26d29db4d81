import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { areas } from '@svc/contract'
import { startApp, type TestApp } from '../packages/server/test/app.js'

/** Clients that generators make from openapi/v1.json: their programs compile without a cast, and work with a real server. */

const run = promisify(execFile)
const folder = fileURLToPath(new URL('generators', import.meta.url))
const program = (name: string) => `${folder}/node_modules/.bin/${name}`
const document = fileURLToPath(new URL('../openapi/v1.json', import.meta.url))
const tsx = fileURLToPath(new URL('../node_modules/.bin/tsx', import.meta.url))

/** The folder of one generator, in which its program finds the installed packages. It is not committed. */
const workOf = (generator: string) => `${folder}/node_modules/.work/${generator}`

let app: TestApp
let env: NodeJS.ProcessEnv
beforeAll(async () => {
  await install()
  app = await startApp('sqlite')
  const token = await app.token(await app.account('ada@example.com'), '*')
  env = { ...process.env, SVC_URL: app.url, SVC_TOKEN: token, SITE_ZIP: areas.sites.deploy.example.body.archive }
  // The installation takes minutes on a busy machine.
}, 300_000)
afterAll(() => app.stop())

/** Installs the generators, unless those of the lock file are there. */
async function install(): Promise<void> {
  const lock = await readFile(`${folder}/package-lock.json`, 'utf8')
  const installed = await readFile(`${folder}/node_modules/.installed`, 'utf8').catch(() => undefined)
  if (installed === lock) return
  const npmEnv = { ...process.env, NODE_EXTRA_CA_CERTS: process.env['MACHINE_CA_CERTS'] }
  await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder, env: npmEnv })
  await writeFile(`${folder}/node_modules/.installed`, lock)
}

const compilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  noUncheckedIndexedAccess: true,
  target: 'es2022',
  module: 'esnext',
  moduleResolution: 'bundler',
  lib: ['es2023', 'dom', 'dom.iterable'],
  types: ['node'],
}

const generators = {
  'openapi-fetch': (work: string) => run(program('openapi-typescript'), [document, '-o', `${work}/generated.ts`]),
  'hey-api': (work: string) =>
    run(program('openapi-ts'), ['-i', document, '-o', `${work}/generated`, '-c', '@hey-api/client-fetch']),
  orval: async (work: string) => {
    const output = { target: `${work}/generated.ts`, client: 'fetch', baseUrl: app.url }
    const config = { svc: { input: document, output } }
    await writeFile(`${work}/orval.config.mjs`, `export default ${JSON.stringify(config)}\n`)
    return run(program('orval'), [], { cwd: work })
  },
} satisfies Record<string, (work: string) => Promise<unknown>>

it.each(Object.entries(generators))(
  'a program with the client of %s uploads, publishes and deploys without a cast',
  async (name, generate) => {
    const work = workOf(name)
    await rm(work, { recursive: true, force: true })
    await mkdir(work, { recursive: true })
    await generate(work)
    for (const file of [`${name}.ts`, 'given.ts']) await cp(`${folder}/programs/${file}`, `${work}/${file}`)
    await writeFile(`${work}/package.json`, '{"type":"module"}\n')
    await writeFile(`${work}/tsconfig.json`, JSON.stringify({ compilerOptions, files: [`${name}.ts`] }))
    const checked = await run(program('tsc'), ['-p', work]).catch((error: unknown) => error as { stdout: string })
    expect(checked.stdout).toBe('')
    const { stdout } = await run(tsx, [`${work}/${name}.ts`], { env })
    expect(JSON.parse(stdout)).toEqual({
      uploaded: 5,
      finished: 'b.txt',
      published: '1.0.0',
      deployed: name,
      error: 'bad_request',
    })
  },
)

it('no program has a cast', async () => {
  for (const name of Object.keys(generators)) {
    const text = await readFile(`${folder}/programs/${name}.ts`, 'utf8')
    expect(text).not.toMatch(/\bas\b (?!const)|\bany\b|@ts-/)
  }
})

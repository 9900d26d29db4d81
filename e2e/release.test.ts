import { once as event } from 'node:events'
import { chmod, chown, readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { freePort } from '../test/servers/index.js'
import type { Machine } from './machine.js'
import { fill, viewOf, type Person } from './person.js'
import { debianForm, type DebianForm } from './release/debian-form.js'
import { output, releaseFile, run, type Environment, type Form, type Place } from './release/form.js'
import { imageForm, type ImageForm } from './release/image-form.js'
import { npmForm } from './release/npm-form.js'
import { revisit, takeTour } from './release/tour.js'

/** Each form of a release as its users meet it. `scripts/release.sh` has written them. */

vi.setConfig({ testTimeout: 180_000, hookTimeout: 600_000 })

const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
}

/** From the first command of the installation. */
const firstAnswerSeconds = 60

interface Server extends Pick<Machine, 'url' | 'dnsPort'> {
  /** What it has printed. */
  readonly log: () => string
  readonly stop: () => Promise<number | null>
}

/** Settings of all commands. The resolver refuses all names, and no server has exchange rates: no test uses the internet. */
async function settingsOf(): Promise<Environment> {
  const [port, dnsPort] = [await freePort(), await freePort()]
  return {
    SVC_PORT: String(port),
    SVC_DNS_PORT: String(dnsPort),
    SVC_HOST: '127.0.0.1',
    SVC_DNS_HOST: '127.0.0.1',
    SVC_RESOLVERS: `127.0.0.1:${dnsPort}`,
    SVC_FX_URL: 'http://127.0.0.1:9/usd.json',
    SVC_URL: `http://127.0.0.1:${port}`,
  }
}

async function startServer(form: Form, place: Place, env: Environment): Promise<Server> {
  const child = form.serve(place, env)
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (printed += String(chunk)))
  const closed = event(child, 'close')
  const url = `http://127.0.0.1:${env['SVC_PORT']}`
  await expect
    .poll(
      () =>
        fetch(`${url}/readyz`).then(
          ({ ok }) => ok,
          () => printed,
        ),
      { timeout: 60_000 },
    )
    .toBe(true)
  const stop = async () => {
    child.kill('SIGTERM')
    await closed
    return child.exitCode
  }
  return { url, dnsPort: Number(env['SVC_DNS_PORT']), log: () => printed, stop }
}

const installed: Form[] = []
afterAll(() => Promise.all(installed.map(({ remove }) => remove())))

/** Installs a form once for all tests. */
function once<F extends Form>(install: () => Promise<F>): () => Promise<F> {
  let form: Promise<F> | undefined
  return () => (form ??= install().then((created) => (installed.push(created), created)))
}

const [npm, debian, image] = [once(npmForm), once(debianForm), once(imageForm)]
const forms: Record<string, () => Promise<Form>> = { npm, 'Debian and Ubuntu': debian, containers: image }

describe.each(Object.entries(forms))('the release for %s', (name, create) => {
  let form: Form
  let env: Environment
  beforeAll(async () => {
    form = await create()
    env = await settingsOf()
  })

  const svc = async (place: Place, ...args: string[]) => String(await output(form.start(place, args, env)))

  it('has the version of the repository', async () => {
    expect(await svc('first', '--version')).toBe(`${version}\n`)
  })

  it('names the command and a setup code at the first start, and serves the API, the console and the reference page', async () => {
    const begun = performance.now()
    const server = await startServer(form, 'first', env)
    const seconds = (form.installMs + performance.now() - begun) / 1000
    process.stdout.write(`${name}: first answer ${seconds.toFixed(1)} s after the first command, without the network\n`)
    expect(seconds).toBeLessThan(firstAnswerSeconds)
    await expect.poll(server.log).toMatch(/enter the code \w{4}-\w{4} to create the first account/)
    expect(server.log()).toContain(`  ${form.command} user add you@example.com`)
    const catalogue = (await (await fetch(`${server.url}/v1?format=json`)).json()) as { data: object }
    expect(catalogue.data).toMatchObject({ version: '2.0.0', server_version: version })
    for (const path of ['/console', '/reference', '/v1/public/ip'])
      expect([path, (await fetch(server.url + path)).status]).toEqual([path, 200])
    expect(await server.stop()).toBe(0)
  })

  it('keeps everything of two accounts in a backup, which fills another installation', async () => {
    const server = await startServer(form, 'first', env)
    await takeTour(server, (await svc('first', 'setup-code')).trim())
    const password = /^[\w-]{24}$/m.exec(await svc('first', 'user', 'add', 'ada@example.com'))?.[0] ?? ''
    const added = await svc('first', 'token', 'add', 'ada@example.com', '--name', 'all', '--scope', '*')
    const ada: Person = { email: 'ada@example.com', password, token: added.trim() }
    await fill(server, ada)
    const view = await viewOf(server, ada)
    const me = await output(form.start('first', ['api', 'account', 'me'], { ...env, SVC_TOKEN: ada.token }))
    expect(String(me)).toContain('ada@example.com')
    const backup = await output(form.start('first', ['backup', '-', '--with-master-key'], env))
    await server.stop()

    await output(form.start('second', ['restore', '-'], env), backup)
    const restored = await startServer(form, 'second', env)
    expect(await viewOf(restored, ada)).toEqual(view)
    await revisit(restored)
    await restored.stop()
    expect(await svc('second', 'doctor', '--upgrade-check', '--json')).toContain('"keeps_writes": true')
  })
})

describe('the package for Debian', () => {
  let form: DebianForm
  beforeAll(async () => {
    form = await debian()
  })

  it('keeps changed settings and the data at an upgrade and at the removal, and deletes them when it is purged', async () => {
    const { inRoot, file } = form
    const state = () => inRoot('sh', '-c', 'ls -d /var/lib/svc/kept /etc/svc/svc.env /usr/bin/svc 2>/dev/null || true')
    await inRoot('sh', '-c', 'echo SVC_LOG_LEVEL=warn >>/etc/svc/svc.env && touch /var/lib/svc/kept')
    await inRoot('dpkg', '-i', file)
    expect(await inRoot('tail', '-n', '1', '/etc/svc/svc.env')).toBe('SVC_LOG_LEVEL=warn\n')
    expect(await inRoot('stat', '-c', '%a %U', '/etc/svc/svc.env', '/var/lib/svc')).toBe('600 root\n700 svc\n')
    await inRoot('dpkg', '-r', 'svc')
    expect(await state()).toBe('/etc/svc/svc.env\n/var/lib/svc/kept\n')
    await inRoot('dpkg', '-P', 'svc')
    expect(await state()).toBe('')
  })
})

describe('the image', () => {
  let form: ImageForm
  let env: Environment
  beforeAll(async () => {
    form = await image()
    env = await settingsOf()
  })

  it('has a user, a volume, a label and a health check', async () => {
    const { User, Volumes, Labels } = form.image.config
    expect([User, Object.keys(Volumes), Labels['org.opencontainers.image.version']]).toEqual([
      '1000:1000',
      ['/data'],
      version,
    ])
    await expect(output(form.checkHealth('first', env))).rejects.toThrow('Exit code 1')
    const server = await startServer(form, 'first', env)
    await output(form.checkHealth('first', env))
    await server.stop()
  })

  it('names a volume that its user may not write', async () => {
    await chown(form.volume('second'), 0, 0)
    await chmod(form.volume('second'), 0o755)
    const child = form.serve('second', env)
    expect(await text(child.stderr)).toMatch(/^svc: .*\/data\b/m)
  })
})

it('the list of contents follows the schema of CycloneDX 1.6, and names what svc is made of', async () => {
  const schemaAt = async (name: string) =>
    JSON.parse(await readFile(new URL(`release/cyclonedx/${name}.schema.json`, import.meta.url), 'utf8')) as object
  const ajv = new Ajv({ strict: false, validateFormats: true, formats: { 'iri-reference': true, 'idn-email': true } })
  addFormats.default(ajv)
  ajv.addSchema([await schemaAt('spdx'), await schemaAt('jsf-0.82')])
  const validate = ajv.compile(await schemaAt('bom-1.6'))
  const list = JSON.parse(await readFile(await releaseFile(/\.cdx\.json$/), 'utf8')) as {
    components: { name: string }[]
  }
  validate(list)
  expect(validate.errors).toBeNull()
  const names = list.components.map(({ name }) => name)
  for (const name of ['nodejs', 'better-sqlite3', 'fastify', 'react', 'libc6']) expect(names).toContain(name)
  expect(validate({ ...list, components: [{ name: 'no type' }] })).toBe(false)
})

it('the checksums are those of the files', async () => {
  const sums = await releaseFile(/^SHA256SUMS$/)
  await run('sh', '-c', 'cd "$(dirname "$0")" && sha256sum --check --quiet SHA256SUMS', sums)
  expect((await readFile(sums, 'utf8')).trim().split('\n')).toHaveLength(6)
})

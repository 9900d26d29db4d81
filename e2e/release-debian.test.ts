import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { freePort } from '../test/servers/index.js'
import { debianRoot } from './release/debian-root.js'
import { releaseFile, run } from './release/form.js'
import { addMigration, otherVersion, renameHashed } from './release/other-version.js'
import { boot, type Booted } from './release/systemd.js'
import { startWriters, type ConsoleFiles } from './release/writers.js'

/** The .deb in a minimal Debian with systemd: its first start, its sandbox, and upgrades under writes. */

vi.setConfig({ testTimeout: 1_500_000, hookTimeout: 900_000 })

/** How often the service is upgraded, and taken back. */
const rounds = 20
const longestGapMs = 3_000

const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
}

/** The report of the release test, on the terminal. */
const report = (line: string) => process.stdout.write(`${line}\n`)

let root: string
let system: Booted
let url: string
/** The .deb of the release, of an older version with other files, and of a newer one with one more migration. */
const debs: Record<'older' | 'released' | 'newer', string> = { older: '', released: '', newer: '' }
beforeAll(async () => {
  debs.released = await releaseFile(/\.deb$/)
  debs.older = await otherVersion(debs.released, '0.0.1', renameHashed)
  debs.newer = await otherVersion(debs.released, '99.0.0', addMigration)
  root = await debianRoot()
  for (const [name, deb] of Object.entries(debs)) await cp(deb, join(root, `${name}.deb`))
  system = await boot(root)
})
afterAll(async () => {
  await system.stop()
  await Promise.all([root, dirname(debs.older), dirname(debs.newer)].map((path) => rm(path, { recursive: true })))
})

const install = (name: keyof typeof debs) => system.run('dpkg', '--install', `/${name}.deb`)
const journal = () => system.run('journalctl', '--unit', 'svc', '--output', 'cat', '--no-pager')
const serverVersion = async () => {
  const answer = await fetch(`${url}/v1?format=json`).catch(() => undefined)
  return ((await answer?.json()) as { data: { server_version: string } } | undefined)?.data.server_version
}

it('the package starts its service, whose journal has the setup code; svc setup-code prints a new one', async () => {
  // The tests share the network of the machine, so the ports must be free ones.
  const [port, dnsPort] = [await freePort(), await freePort()]
  url = `http://127.0.0.1:${port}`
  await system.run('mkdir', '--parents', '/etc/systemd/system/svc.service.d')
  const settings = {
    SVC_PORT: port,
    SVC_DNS_PORT: dnsPort,
    SVC_RESOLVERS: `127.0.0.1:${dnsPort}`,
    SVC_FX_URL: `${url}/usd.json`,
  }
  const lines = Object.entries(settings).map(([name, value]) => `Environment=${name}=${value}`)
  await writeFile(join(root, 'etc/systemd/system/svc.service.d/ports.conf'), `[Service]\n${lines.join('\n')}\n`)

  const begun = performance.now()
  await install('released')
  await expect.poll(serverVersion, { timeout: 60_000 }).toBe(version)
  report(`.deb with systemd: first answer ${((performance.now() - begun) / 1000).toFixed(1)} s after the command`)
  await expect.poll(journal).toMatch(/enter the code \w{4}-\w{4} to create the first account/)
  const code = (await system.run('svc', 'setup-code')).trim()
  const create = await fetch(`${url}/console/api/setup`, {
    method: 'POST',
    headers: { origin: url, 'content-type': 'application/json' },
    body: JSON.stringify({ code, email: 'ada@example.com', password: 'correct horse battery staple' }),
  })
  expect(create.status, await create.text()).toBe(200)
  await expect(system.run('svc', 'setup-code')).rejects.toThrow('There is an account already')
})

describe('the sandbox of the service', () => {
  /** Runs a command with the restrictions of the unit, as its user. */
  const inSandbox = async (command: string) => {
    const unit = await readFile(join(root, 'usr/lib/systemd/system/svc.service'), 'utf8')
    const own =
      /^(?:User|Group|StateDirectory|AmbientCapabilities|CapabilityBoundingSet|NoNewPrivileges|UMask|Protect\w+|Private\w+|Remove\w+|Restrict\w+|Lock\w+|SystemCall\w+)=.*/gm
    // systemd-run joins repeated filters as the unit does.
    const properties = (unit.match(own) ?? [])
      .filter((line) => !/^Restart|^RestartPrevent/.test(line))
      .map((line) => `--property=${line}`)
    return system.run('systemd-run', '--wait', '--pipe', '--collect', '--quiet', ...properties, 'sh', '-c', command)
  }

  it('has an exposure below 2.5', async () => {
    const text = await system.run('systemd-analyze', 'security', '--no-pager', 'svc.service')
    const exposure = Number(/Overall exposure level for svc\.service: ([\d.]+)/.exec(text)?.[1])
    report(`systemd-analyze security: ${exposure}`)
    expect(exposure).toBeLessThan(2.5)
  })

  it('lets the service write its own directory only', async () => {
    const places = ['/var/lib/svc', '/etc', '/usr/lib/svc', '/var/lib', '/root', '/home', '/proc/sys/kernel', '/sys']
    const tried = places.map((path) => `if touch ${path}/written 2>/dev/null; then echo ${path}; fi`).join('; ')
    expect(await inSandbox(tried)).toBe('/var/lib/svc\n')
    await system.run('rm', '/var/lib/svc/written')
  })

  it('refuses other users, devices, namespaces, mounts and kinds of sockets', async () => {
    const node = (script: string) => `/usr/lib/svc/bin/node -e ${JSON.stringify(script)} 2>&1 || true`
    const status = await inSandbox('cat /proc/self/status; id -un; ls /dev')
    expect(status).toMatch(/^NoNewPrivs:\s1$/m)
    expect(status).toMatch(/^Seccomp:\s2$/m)
    expect(status).toMatch(/^CapBnd:\s0{13}400$/m)
    expect(status).toMatch(/^svc$/m)
    expect(status).not.toMatch(/^(?:kmsg|mem|sda|vda)$/m)
    expect(await inSandbox('unshare --user true 2>&1 || true')).toMatch(/not permitted/)
    expect(await inSandbox('mount -t tmpfs none /tmp 2>&1 || true')).toMatch(/permission|not permitted|superuser/i)
    expect(await inSandbox(node('console.log(Object.keys(require("os").networkInterfaces()).length > 0)'))).toBe(
      'true\n',
    )
  })
})

/** What a page of the console loads, by the file that only this version names. */
async function consoleFilesOf(names: readonly (keyof typeof debs)[]): Promise<ConsoleFiles> {
  const found = new Map<string, string[]>()
  for (const name of names) {
    const text = await run(
      'sh',
      '-c',
      'dpkg-deb --fsys-tarfile "$0" | tar --extract --to-stdout ./usr/lib/svc/packages/console/dist/pages.json',
      debs[name],
    )
    const files = (JSON.parse(text) as { files: string[] }[]).flatMap((page) => page.files)
    const [entry = ''] = files
    found.set(entry, [...new Set(files)])
  }
  return found
}

describe('an upgrade under writes', () => {
  const token = async (name: string) =>
    (await system.run('svc', 'token', 'add', 'ada@example.com', '--name', name, '--scope', '*')).trim()
  const expected = { older: '0.0.1', released: version, newer: '99.0.0' }

  async function upgradeTo(name: keyof typeof debs, writers: { readonly longestGap: () => number }): Promise<number> {
    await install(name)
    await expect.poll(serverVersion, { timeout: 60_000, interval: 100 }).toBe(expected[name])
    return writers.longestGap()
  }

  it(`loses no acknowledged write, and answers within three seconds, ${rounds} times there and back`, async () => {
    await install('older')
    await expect.poll(serverVersion, { timeout: 60_000 }).toBe(expected.older)
    const writers = await startWriters({
      url,
      token: await token('same schema'),
      zone: 'same.example',
      consoleFiles: await consoleFilesOf(['older', 'released']),
    })
    const gaps: number[] = []
    for (let round = 0; round < rounds; round++) {
      gaps.push(await upgradeTo('released', writers))
      gaps.push(await upgradeTo('older', writers))
    }
    gaps.sort((one, other) => one - other)
    const acknowledged = await writers.finish()
    report(
      `${rounds} upgrades and ways back: ${acknowledged} writes acknowledged, 0 lost; without an answer: median ${gaps[rounds]} ms, longest ${gaps.at(-1)} ms`,
    )
    expect(acknowledged).toBeGreaterThan(rounds)
    expect(gaps.at(-1)).toBeLessThan(longestGapMs)
    expect(writers.missing).toEqual([])
  })

  it('keeps the writes of the newer version on the way back, if its migration only adds', async () => {
    await install('released')
    await expect.poll(serverVersion, { timeout: 60_000 }).toBe(version)
    await run('dpkg-deb', '--extract', debs.newer, join(root, 'new'))
    const check = [
      '--env-file=/etc/svc/svc.env',
      '/new/usr/lib/svc/packages/cli/bin/svc.js',
      'doctor',
      '--upgrade-check',
      '--json',
    ]
    expect(JSON.parse(await system.run('/new/usr/lib/svc/bin/node', ...check))).toMatchObject({
      keeps_writes: true,
      pending: ['9999-later.additive'],
    })
    const writers = await startWriters({
      url,
      token: await token('addition'),
      zone: 'addition.example',
      consoleFiles: new Map(),
    })
    const gaps = [await upgradeTo('newer', writers), await upgradeTo('released', writers)]
    const acknowledged = await writers.finish()
    report(
      `An upgrade that adds a table, and the way back: ${acknowledged} writes acknowledged, 0 lost; without an answer: ${gaps.join(' and ')} ms`,
    )
    expect(Math.max(...gaps)).toBeLessThan(longestGapMs)
  })
})

describe('beside the unit of a checkout', () => {
  const unit = '/etc/systemd/system/svc.service'
  const checkout = '/opt/svc'

  /** The unit of the package with what differs in docs/operating.md: a dynamic user, and another folder. */
  async function startCheckout(): Promise<void> {
    await run('dpkg-deb', '--extract', debs.released, join(root, checkout))
    const packaged = await readFile(join(root, checkout, 'usr/lib/systemd/system/svc.service'), 'utf8')
    const text = packaged
      .replace('User=svc\nGroup=svc\n', 'DynamicUser=yes\nEnvironment=SVC_DATA=/var/lib/svc\n')
      .replace('EnvironmentFile=', 'EnvironmentFile=-')
      .replaceAll('/usr/lib/svc', `${checkout}/usr/lib/svc`)
    expect(text).toContain('DynamicUser=yes')
    await writeFile(join(root, unit), text)
    await system.run('systemctl', 'daemon-reload')
    await system.run('systemctl', 'start', 'svc')
    await expect.poll(serverVersion, { timeout: 60_000 }).toBe(version)
  }

  it('the package warns of the unit, and takes over the data with the command that it names', async () => {
    await system.run('dpkg', '--purge', 'svc')
    await system.run('userdel', 'svc')
    await startCheckout()
    const bin = [
      'env',
      'SVC_DATA=/var/lib/svc',
      `${checkout}/usr/lib/svc/bin/node`,
      `${checkout}/usr/lib/svc/packages/cli/bin/svc.js`,
    ]
    await system.run(...bin, 'user', 'add', 'bob@example.com')
    const token = (await system.run(...bin, 'token', 'add', 'bob@example.com', '--name', 'all', '--scope', '*')).trim()

    const printed = await install('released')
    expect(printed).toContain(`Warning: ${unit}, for example of a checkout, replaces the service of this package.`)
    const [, command = ''] = /^To use the package: (.*)$/m.exec(printed) ?? []
    expect(command).toContain(unit)
    await system.run('sh', '-c', command)
    await expect.poll(serverVersion, { timeout: 60_000 }).toBe(version)
    const me = await fetch(`${url}/v1/account/me`, { headers: { authorization: `Bearer ${token}` } })
    expect(me.status, await me.text()).toBe(200)
    expect(await system.run('stat', '--dereference', '--format=%U', '/var/lib/svc', '/var/lib/svc/svc.db')).toBe(
      'svc\nsvc\n',
    )
    expect(await system.run('systemctl', 'show', '--property=User', '--value', 'svc')).toBe('svc\n')
    expect(await install('released')).not.toContain('Warning')
  })
})

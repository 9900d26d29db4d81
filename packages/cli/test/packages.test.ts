import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startApp, type TestApp } from '../../server/test/app.js'
import { sha256 } from './file-client.js'
import { emptyPlace, svc, type Place } from './svc.js'

/** `svc api packages publish` with files, through the real server. */

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

describe('publishing from files', () => {
  let server: TestApp
  let place: Place & AsyncDisposable
  beforeAll(async () => {
    server = await startApp()
    const token = await server.token(await server.account('ada@example.com'), 'packages:write')
    const folder = await emptyPlace()
    place = { ...folder, env: { SVC_URL: server.url, SVC_TOKEN: token } }
  })
  afterAll(async () => {
    await place[Symbol.asyncDispose]()
    await server.stop()
  })

  const run = (...args: string[]) => svc(['api', 'packages', ...args], place)
  const newFile = async (name: string, size: number) => {
    const bytes = randomBytes(size)
    await writeFile(join(place.cwd, name), bytes)
    return bytes
  }

  it('sends the files under their names, and prints the version', async () => {
    const [small, large] = [await newFile('a.txt', 10), await newFile('b.tar.gz', 5_000_000)]
    const { code, stdout, stderr } = await run(
      ...['publish', 'a.txt', join(place.cwd, 'b.tar.gz'), '--slug', 'greeter', '--version', '1.0.0'],
      ...['--description', 'Greets'],
    )
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^4\.8 MiB sent in \d+\.\d s \(.+\/s\)\n$/)])
    const { package: shown, published } = JSON.parse(stdout)
    expect(shown).toMatchObject({ slug: 'greeter', name: 'greeter', description: 'Greets', versions: 1 })
    expect(published.artifacts).toMatchObject([
      { name: 'a.txt', size: 10, sha256: sha256(small) },
      { name: 'b.tar.gz', size: 5_000_000, sha256: sha256(large) },
    ])
  })

  it('still takes base64', async () => {
    const artifact = JSON.stringify({ name: 'a.txt', content: 'aGVsbG8=' })
    const { stdout } = await run('publish', '--slug', 'plain', '--version', '1.0.0', '--artifacts', artifact)
    expect(JSON.parse(stdout).published.artifacts).toMatchObject([{ name: 'a.txt', size: 5 }])
  })

  it('--if-absent succeeds for a version with the same files, and names the difference of others', async () => {
    await newFile('d.txt', 10)
    await newFile('e.txt', 2_000_000)
    const publish = (...files: string[]) =>
      run('publish', ...files, '--slug', 'again', '--version', '1.0.0', '--if-absent')
    const first = await publish('d.txt', 'e.txt')
    expect([first.code, JSON.parse(first.stdout).published.version]).toEqual([0, '1.0.0'])
    const again = await publish('e.txt', 'd.txt')
    expect([again.code, JSON.parse(again.stdout).published]).toEqual([0, JSON.parse(first.stdout).published])
    expect((await publish('d.txt')).stderr).toContain('1.0.0 of again exists with other artifacts: it also has e.txt.')
    await newFile('d.txt', 10)
    const changed = await publish('d.txt', 'e.txt')
    expect([changed.code, changed.stderr]).toEqual([1, expect.stringContaining('d.txt has other bytes')])
    await newFile('f.txt', 10)
    expect((await publish('d.txt', 'e.txt', 'f.txt')).code).toBe(1)
    expect((await run('publish', 'd.txt', '--slug', 'again', '--version', 'x', '--if-absent')).stderr).toMatch(
      /^bad_request:/,
    )
    expect(
      (await run('publish', '--slug', 'again', '--version', '1.0.0', '--artifacts', '{}', '--if-absent')).code,
    ).toBe(2)
  })

  it('shows the error of the server, with exit code 1', async () => {
    await newFile('c.txt', 10)
    await run('publish', 'c.txt', '--slug', 'twice', '--version', '1.0.0')
    const { code, stderr } = await run('publish', 'c.txt', '--slug', 'twice', '--version', '1.0.0')
    expect(code).toBe(1)
    expect(stderr).toMatch(/^bad_request: --version 1\.0\.0 of twice was published already\./)
  })

  it.each<[string, string[], RegExp]>([
    ['a missing file', ['missing.txt'], /^svc: missing\.txt cannot be read: .*ENOENT/],
    ['a folder', ['.'], /^svc: \. cannot be read: it is not a regular file/],
    ['no file', [], /missing --artifacts/],
    ['a file and base64', ['a.txt', '--artifacts', '{}'], /--artifacts and a file cannot be combined/],
  ])('refuses %s', async (_, args, message) => {
    const { code, stderr } = await run('publish', ...args, '--slug', 'x', '--version', '1.0.0')
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)])
  })

  it('the help of publish shows its form and an example', async () => {
    const { stdout } = await run('publish', '--help')
    expect(stdout).toContain('FILE... [flags]')
    expect(stdout).toContain(
      'Examples:\n  svc api packages publish greeter.txt --slug greeter --version 1.0.0 --name Greeter',
    )
  })
})

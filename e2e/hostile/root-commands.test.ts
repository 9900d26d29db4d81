import { chown, lstat, mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { emptyPlace, svc } from '../../packages/cli/test/svc.js'

/** Operators run commands as root in the directory of the service user, which must be able to open all that they leave. */

const service = 12_345

/** The owners of all entries of a folder that are not the service, by path. */
async function foreignIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true })
  const owners = await Promise.all(entries.map(async (path) => [path, (await lstat(join(folder, path))).uid] as const))
  return owners.filter(([, uid]) => uid !== service).map(([path, uid]) => `${path} belongs to ${String(uid)}`)
}

// Only root can give files to another user.
it.skipIf(process.geteuid?.() !== 0)('each command of root gives its files to the owner of the directory', async () => {
  await using place = await emptyPlace()
  const home = join(place.cwd, 'svc')
  await mkdir(home)
  await chown(home, service, service)
  const at = (data: string) => ({ cwd: home, env: { SVC_DATA: join(home, data) } })
  const run = async (data: string, ...args: string[]) => {
    const { code, stderr, stdout } = await svc(args, at(data))
    expect([code, /^svc: /m.test(stderr)], `${args.join(' ')}: ${stderr}`).toEqual([0, false])
    expect(await foreignIn(home), args.join(' ')).toEqual([])
    return stdout
  }
  // The first command creates the directory and the database.
  await run('data', 'user', 'add', 'ada@example.com')
  await run('data', 'token', 'add', 'ada@example.com', '--name', 'ci', '--scope', '*')
  await run('data', 'dns', 'assign', 'example.com', 'ada@example.com')
  await run('data', 'dns', 'export', 'example.com', '--output', 'example.com.zone')
  await run('data', 'dns', 'reserve', 'example.org')
  await run('data', 'account', 'export', 'ada@example.com', 'ada.svc')
  await run('data', 'backup', 'all.svc')
  await run('imported', 'account', 'import', 'ada.svc')
  await run('restored', 'restore', 'all.svc')
  expect((await stat(join(home, 'data', 'svc.db'))).uid).toBe(service)
})

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { emptyPlace, svcServe } from '../../packages/cli/test/svc.js'
import { accountToken } from '../account-token.js'
import { fileClient } from '../file-client.js'

/** Nothing that was deleted stays in the files of SQLite, when the server has stopped. */

it('the contents of deleted small files are not in the database any more', async () => {
  await using place = await emptyPlace()
  await using server = await svcServe(place)
  const client = fileClient(server.url, await accountToken(place, 'ada@example.com', '*'))
  const contentOf = (name: string, size: number) => Buffer.alloc(size, `${name} has this text. `)
  const ids = new Map<string, number>()
  for (const [name, size] of [
    ['first', 100],
    ['second', 3_000],
    ['third', 8_000],
    ['kept', 8_000],
  ] as const) {
    const sent = await client.call('files/upload', { name, content: contentOf(name, size).toString('base64') })
    expect(sent?.status).toBe(200)
    ids.set(name, sent?.data['id'] as number)
  }
  for (const name of ['first', 'second', 'third'])
    expect(await client.call('files/delete', { id: ids.get(name) })).toMatchObject({ status: 200 })
  expect(await server.stop()).toBe(0)

  const folder = join(place.cwd, 'data')
  const names = (await readdir(folder)).filter((name) => /^svc\.db(-wal|-shm)?$/.test(name))
  const bytes = Buffer.concat(await Promise.all(names.map((name) => readFile(join(folder, name)))))
  const found = ['first', 'second', 'third', 'kept'].filter((name) => bytes.includes(`${name} has this text`))
  expect(found).toEqual(['kept'])
})

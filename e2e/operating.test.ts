import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { allRows } from '../packages/server/test/database-rows.js'
import { tables } from '../packages/server/src/app/tables.js'
import { ask } from '../packages/server/test/dns-ask.js'
import { ensure, freshPostgres } from '../test/servers/index.js'
import { commandsOf } from './markdown-blocks.js'
import { createMachine, type Machine } from './machine.js'
import { fill, viewOf, withoutIds, type Person } from './person.js'
import { Traffic } from './traffic.js'

/**
 * The first day and the year after: the commands of README.md and docs/operating.md as pasted, in the order of the documents, on
 * three machines. Only paths, ports and the address of PostgreSQL are replaced.
 */

// A test starts up to twelve commands, one after another.
vi.setConfig({ testTimeout: 120_000 })

const document = (name: string) => readFile(fileURLToPath(new URL(`../${name}`, import.meta.url)), 'utf8')
const [readme, operating] = [await document('README.md'), await document('docs/operating.md')]

/** The blocks of a section of docs/operating.md. A changed number of blocks fails here. */
function blocks(heading: string, count: number): string[] {
  const found = commandsOf(operating, heading)
  expect(found, heading).toHaveLength(count)
  return found
}

const [settings = '', accountCommands = ''] = blocks('Accounts and tokens', 2)
const documentedUrl = 'postgres://svc:secret@db.example.net:5432/svc'

let folder: string
let postgresUrl: string
let first: Machine
let second: Machine
let third: Machine
let ada: Person
/** The token of you@example.com. */
let token: string
/** What ada saw before the backup. */
let view: Record<string, unknown>

beforeAll(async () => {
  for (const program of ['curl', 'dig', 'script']) ensure(program)
  folder = await mkdtemp(join(tmpdir(), 'svc-operating-'))
  postgresUrl = await freshPostgres()
  for (const name of ['backup', 'keys']) await mkdir(join(folder, name))
  const replaced = {
    [documentedUrl]: postgresUrl,
    '/backup/': join(folder, 'backup/'),
    '/keys/': join(folder, 'keys/'),
  }
  const machine = (name: string) => createMachine(join(folder, name), settings, replaced)
  first = await machine('first')
  second = await machine('second')
  third = await machine('third')
})
afterAll(async () => {
  await Promise.all([first, second, third].map((machine) => machine.kill()))
  await rm(folder, { recursive: true, maxRetries: 5 })
})

/** The errors that `svc doctor` finds in the data of a machine. Those of its surroundings depend on the network of the test. */
async function expectHealthy(machine: Machine): Promise<void> {
  const [doctor = ''] = blocks('Checking with svc doctor', 1)
  // Its exit code is 1 for an error of the surroundings.
  const output = await machine.run(`${doctor.trim()} || true\n`)
  const ofData = ['Settings', 'Data directory', 'Database', 'Master key', 'Stored files']
  const sections = output.split(/^(?=\S)/m).filter((text) => ofData.some((name) => text.startsWith(`${name}\n`)))
  expect(sections).toHaveLength(ofData.length)
  expect(sections.filter((text) => /^ +error/m.test(text))).toEqual([])
}

it('the quick start of README works on a new machine', async () => {
  await first.run('systemctl start svc\n')
  const output = await first.run(`${commandsOf(readme, 'Quick start').join('')}\necho "token $SVC_TOKEN"\n`)
  for (const text of ['Created the account you@example.com', '192.0.2.1', 'Hello!\n', '<h1>Hello</h1>'])
    expect(output).toContain(text)
  token = /token (svc_\S+)$/m.exec(output)?.[1] ?? ''
})

it('the commands of "Accounts and tokens" and "Deleting an account" work', async () => {
  const machine = first
  await writeFile(join(machine.checkout, 'password.txt'), 'correct horse battery\n')
  const output = await machine.run(`${accountCommands}npx svc token add ada@example.com --name all --scope '*'\n`)
  const [password = ''] = /^[\w-]{24}$/m.exec(output) ?? []
  const tokens = output.match(/^svc_[0-9a-f]{32}$/gm)
  ada = { email: 'ada@example.com', password, token: tokens?.at(-1) ?? '' }
  await fill(machine, ada)
  const [deletion = ''] = blocks('Deleting an account', 1)
  expect(await machine.run(deletion, 'bob@example.net\n')).toContain('bob@example.net is deleted')
  view = await viewOf(machine, ada)
})

const [backup = '', keyCopy = '', otherMachine = '', restore = ''] = blocks('Backups', 4)

it('a backup under traffic has every acknowledged write, and is restored on another machine', async () => {
  const traffic = new Traffic(first, token)
  await traffic.untilBusy()
  const acknowledged = traffic.acknowledged()
  await first.run(backup + keyCopy)
  await traffic.stop()
  await first.run('systemctl stop svc\n')

  const output = await second.run(otherMachine + restore)
  expect(output).toMatch(/Restored the backup/)
  await traffic.expectThere(second, acknowledged)
  const [seen] = await Promise.all([viewOf(second, ada), expectHealthy(second)])
  expect(seen).toEqual(view)
})

it('moving to PostgreSQL keeps everything', async () => {
  const [move = '', start = ''] = blocks('Moving to PostgreSQL', 2)
  expect(await second.run(move + start)).toContain('Both databases have the same rows.')
  expect((await stat(join(second.data, '../../../etc/svc.env'))).mode & 0o777).toBe(0o600)
  const [seen] = await Promise.all([viewOf(second, ada), expectHealthy(second)])
  expect(seen).toEqual(view)
})

const objectsOf = async ({ data }: Machine) => {
  const files = await readdir(join(data, 'files'), { recursive: true })
  return files.map((path) => basename(path)).filter((name) => /^[0-9a-f]{32}-\d+$/.test(name))
}

it('moving an account and deleting it on both machines loses nothing and leaves nothing behind', async () => {
  const [exporting = '', importing = '', deletion = '', cleanUp = ''] = blocks('Moving an account', 4)
  await third.run('systemctl start svc\n')
  await second.run(exporting)
  for (const name of ['ada.svc', 'ada.key']) await copyFile(join(second.checkout, name), join(third.checkout, name))
  expect(await third.run(importing)).toMatch(/Imported ada@example\.com/)
  const [seen] = await Promise.all([viewOf(third, ada), expectHealthy(third)])
  expect(withoutIds(seen)).toEqual(withoutIds(view))

  await Promise.all([second, third].map((machine) => machine.run(deletion, 'ada@example.com\n')))
  await second.run(cleanUp)
  for (const { dnsPort } of [second, third])
    await expect.poll(async () => (await ask(dnsPort, 'ada.example', 'A')).rcode).toBe('REFUSED')
  await Promise.all([second, third].map(expectHealthy))
  const left = await allRows({ kind: 'postgres', url: postgresUrl })
  expect(new Set(accountsIn(left))).toEqual(new Set(['1']))
  const keys = (left['blob'] as { key: string }[]).map(({ key }) => key)
  await expect.poll(async () => (await objectsOf(second)).toSorted()).toEqual(keys.toSorted())

  const empty = await allRows({ kind: 'sqlite', file: join(third.data, 'svc.db') })
  expect(accountsIn(empty)).toEqual([])
  expect(empty).not.toHaveProperty('account')
  expect(empty).not.toHaveProperty('blob')
  await expect.poll(() => objectsOf(third)).toEqual([])
})

/** The ids of the accounts that rows refer to. */
const accountsIn = (rows: Record<string, unknown[]>): string[] =>
  Object.entries(tables).flatMap(([table, { references }]) => {
    const columns = Object.entries(references).flatMap(([column, target]) => (target === 'account' ? [column] : []))
    const values = ((rows[table] ?? []) as Record<string, string | number | null>[]).flatMap((row) =>
      columns.map((column) => row[column] ?? null),
    )
    return values.filter((value) => value !== null).map(String)
  })

it('the commands of "Zones of the operator", "Zones of all accounts" and "Zone files" work', async () => {
  const machine = second
  const [assign = '', reserve = ''] = blocks('Zones of the operator', 2)
  await machine.run(assign + reserve)
  const [list = '', deletion = ''] = blocks('Zones of all accounts', 2)
  expect(await machine.run(list)).toMatch(/example\.net .*verified/)
  await machine.run(deletion, 'example.net\n')
  await expect.poll(async () => (await ask(machine.dnsPort, 'example.net', 'SOA')).rcode).toBe('REFUSED')
  const [zoneFile = ''] = blocks('Zone files', 1)
  await machine.run(zoneFile)
  expect((await ask(machine.dnsPort, 'www.example.com', 'A')).answers).toMatchObject([{ value: '192.0.2.1' }])
  await expectHealthy(machine)
})

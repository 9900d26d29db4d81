import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { ensure } from '../../test/servers/ensure.js'
import { startPostgres, type Postgres } from '../../test/servers/postgres.js'
import { apiClient, runClients, type ApiClient } from './api-client.js'
import { CpuTime } from './cpu-time.js'
import { checkLimit, measureRounds, median, medianRatio, printInfo } from './measure.js'
import { addAccount, requestsPerSecond, startBenchProgram, startSvc, type Program } from './programs.js'

const seconds = 1
const rounds = 5
/** V8 compiles what a server runs often: in the first thousands of creates, one costs five times as much. */
const warmUpSeconds = 4
const zones = 20
const clients = 50
const zoneName = (n: number) => `bench${String(n % zones)}.example`
const run = promisify(execFile)

/**
 * svc on PostgreSQL, with real durability, against svc on SQLite, against pgbench with one insert in each transaction, and against one
 * select by key over node:http. All of them run on this machine.
 */
export async function benchPostgres(folder: string): Promise<void> {
  const postgres = await startPostgres({ isDurable: true })
  try {
    await measureAll(folder, postgres)
  } finally {
    await postgres.stop()
  }
}

async function measureAll(folder: string, postgres: Postgres): Promise<void> {
  const url = await postgres.createDatabase()
  const onPostgres = await startSide(join(folder, 'postgres'), '--database', url)
  const onSqlite = await startSide(join(folder, 'sqlite'))
  const pgbench = await insertsOfPgbench(folder, await postgres.createDatabase())
  const bare = await startBenchProgram('select-server.ts', join(folder, 'select.log'), /^(http:\S+)/m, url)
  const cpu = cpuOf(onPostgres.program, bare, onSqlite.program, postgres)
  const ms: number[] = []
  for (const side of [onPostgres, onSqlite])
    for (let second = 0; second < warmUpSeconds; second++) await createRecords(side, clients, zoneName)

  const figures = await measureRounds(rounds, {
    oneSqlite: () => createRecords(onSqlite, 1, zoneName),
    one: () => createRecords(onPostgres, 1, zoneName),
    onePgbench: () => pgbench(1),
    fiftySqlite: () => cpu.sqliteCreate(() => createRecords(onSqlite, clients, zoneName)),
    fifty: () => cpu.create(() => createRecords(onPostgres, clients, zoneName, ms)),
    fiftyInOne: () => createRecords(onPostgres, clients, () => zoneName(0)),
    twentyPgbench: () => pgbench(20),
    bare: () => cpu.bare(() => readRepeatedly(bare.url)),
    me: () => cpu.me(() => readRepeatedly(`${onPostgres.program.url}/v1/account/me`, onPostgres.token)),
  })
  for (const { api } of [onPostgres, onSqlite]) api.close()
  await Promise.all([onPostgres.program, onSqlite.program, bare].map((program) => program.stop()))

  for (const [what, name] of [
    ['create, one client, SQLite', 'oneSqlite'],
    ['create, one client', 'one'],
    ['pgbench, one client', 'onePgbench'],
    ['create, fifty clients over 20 zones, SQLite', 'fiftySqlite'],
    ['create, fifty clients over 20 zones', 'fifty'],
    ['create, fifty clients in one zone', 'fiftyInOne'],
    ['pgbench, twenty clients', 'twentyPgbench'],
    ['bare select by key', 'bare'],
    ['GET /v1/account/me', 'me'],
  ] as const)
    printInfo(what, `${Math.round(median(figures[name]))}/s`)
  cpu.print()
  const { one, oneSqlite, fifty, fiftySqlite, twentyPgbench, me } = figures
  checkLimit('create, one client, against SQLite', medianRatio(one, oneSqlite), { atLeast: 0.6 })
  checkLimit('create, fifty clients over 20 zones, against SQLite', medianRatio(fifty, fiftySqlite), { atLeast: 0.5 })
  checkLimit('create, fifty clients over 20 zones, against pgbench', medianRatio(fifty, twentyPgbench), {
    atLeast: 0.15,
  })
  checkLimit('p50 of a create, fifty clients over 20 zones', median(ms), { below: 20 }, ' ms')
  checkLimit('GET /v1/account/me, against a bare select', medianRatio(me, figures.bare), { atLeast: 0.35 })
}

/** svc with an account and its zones. */
interface Side {
  readonly program: Program
  readonly token: string
  readonly api: ApiClient
}

/** Not pinned to one core: on SQLite it answers in one thread and writes in another. */
async function startSide(data: string, ...database: string[]): Promise<Side> {
  const token = await addAccount(data, ...database)
  const program = await startSvc(data, [...database, '--dns-records-max', '1000000'], [])
  const api = apiClient(program.url, { authorization: `Bearer ${token}` })
  for (let n = 0; n < zones; n++) {
    const { status, text } = await api.send('POST', '/v1/dns/zones', { zone: zoneName(n) })
    if (status !== 200 || !text.includes('"status":"verified"')) throw new Error(text)
  }
  return { program, token, api }
}

let created = 0

/** Creates records. @param ms gets the duration of each request @returns records per second @throws Error if one is refused */
async function createRecords(
  { api }: Side,
  count: number,
  zoneOf: (n: number) => string,
  ms: number[] = [],
): Promise<number> {
  const { perSecond } = await runClients(count, seconds * 1000, async (n) => {
    const record = { type: 'A', host: `host${String(created++)}`, value: '192.0.2.1' }
    const began = performance.now()
    const answer = await api.send('POST', `/v1/dns/zones/${zoneOf(n)}/records`, record)
    ms.push(performance.now() - began)
    if (answer.status !== 200) throw new Error(answer.text)
    return answer
  })
  return perSecond
}

const readRepeatedly = (url: string, token?: string) =>
  requestsPerSecond(url, { seconds, connections: clients, ...(token === undefined ? {} : { token }) })

/** @returns a function that runs pgbench and returns the inserts per second of all its clients */
async function insertsOfPgbench(folder: string, url: string): Promise<(clients: number) => Promise<number>> {
  const bin = dirname(ensure('postgres'))
  const script = join(folder, 'insert.sql')
  await writeFile(script, "insert into entry (host, value) values ('www', '192.0.2.1');\n")
  const table = 'create table entry (id bigserial primary key, host text not null, value text not null)'
  await run(join(bin, 'psql'), ['-c', table, url])
  return async (count) => {
    const flags = ['-n', '-M', 'prepared', '-f', script, '-T', String(seconds), '-c', String(count), '-j', '1']
    const { stdout } = await run(join(bin, 'pgbench'), [...flags, url])
    return Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1])
  }
}

/** CPU time of each kind of request: of the server that answers, and of all processes of PostgreSQL. */
function cpuOf(svc: Program, bare: Program, sqlite: Program, postgres: Postgres) {
  const inAll = (rate: number) => rate * seconds
  const lines: (() => void)[] = []
  const kind = (what: string, server: Program, database?: Postgres) => {
    const ofServer = new CpuTime(server.pid)
    const ofDatabase = database && new CpuTime(database.pid(), 'family')
    const shown = ({ seconds: each }: CpuTime) => `${(each * 1e6).toFixed(0)} µs`
    lines.push(() => {
      printInfo(`CPU of ${what}`, `${shown(ofServer)}${ofDatabase ? ` + ${shown(ofDatabase)} in PostgreSQL` : ''}`)
    })
    return (work: () => Promise<number>) =>
      ofServer.measure(() => (ofDatabase ? ofDatabase.measure(work, inAll) : work()), inAll)
  }
  return {
    sqliteCreate: kind('a create, SQLite', sqlite),
    create: kind('a create', svc, postgres),
    bare: kind('a bare select by key', bare, postgres),
    me: kind('GET /v1/account/me', svc, postgres),
    print: () => {
      for (const print of lines) print()
    },
  }
}

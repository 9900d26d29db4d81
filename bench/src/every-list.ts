import { join } from 'node:path'
import { consoleOperations, operations } from '@svc/contract'
import { fillAccount, fillOthers, postgresDatabases, sqliteDatabases, type Databases } from './filled-databases.js'
import { checkLimit, median, medianRatio, printInfo } from './measure.js'
import { startSvc } from './programs.js'
import { calibrationRequests, ReadSide } from './read-side.js'
import { credentials, filled, reads, unmeasured, type Read } from './reads.js'
import { allMilliseconds } from './server-log.js'

/** Limits in milliseconds: for a single read, and for each 1,000 entries of a list (rounded up). */
const [readBelow, listBelow] = [1, 10]
/** Limit of the growth: the CPU time of a read with many other accounts, divided by that with one. */
const growthBelow = 1.3
const otherAccounts = { few: 1, many: 10_000 }
const rounds = 7

/** Rows of each other account. */
const ofOthers = {
  zones: 3,
  records: 10,
  files: 10,
  messages: 10,
  domains: 3,
  packages: 2,
  versions: 3,
  sites: 2,
  deployments: 3,
  kept: 3,
  secrets: 2,
  credentials: 2,
}

export const benchListsOnSqlite = (folder: string): Promise<void> => benchLists(folder, sqliteDatabases())

export const benchListsOnPostgres = async (folder: string): Promise<void> =>
  benchLists(folder, await postgresDatabases())

/** Every list and every single read of an account with many rows, beside one other account and beside 10,000. */
async function benchLists(folder: string, databases: Databases): Promise<void> {
  requireEveryRead()
  const data = (side: string) => join(folder, `lists-${databases.dialect}-${side}`)
  const { installation: few, access } = await fillAccount(databases, data('few'), filled, credentials)
  const many = await databases.copy(few, data('many'))
  await fillOthers(databases, few, ofOthers, otherAccounts.few)
  await fillOthers(databases, many, ofOthers, otherAccounts.many)
  const sides = []
  for (const { data: dataFolder, flags, processes } of [few, many])
    sides.push(new ReadSide(dataFolder, await startSvc(dataFolder, flags), access, processes))
  const measured: Measured[] = []
  for (const [operation, list] of Object.entries(reads))
    for (const read of list) measured.push(await measure(operation, read, sides))
  for (const side of sides) await side.stop()
  await databases.stop()
  const logs = await Promise.all(sides.map((side) => allMilliseconds(side.data, side.svc)))
  report(databases.dialect, toRows(measured, logs))
}

/** @throws Error for an operation that is neither measured nor listed as unmeasured */
function requireEveryRead(): void {
  const known = new Set([...Object.keys(reads), ...Object.keys(unmeasured)])
  const missing = [...operations, ...consoleOperations].filter(({ method, id }) => method === 'GET' && !known.has(id))
  if (missing.length > 0) throw new Error(`reads.ts has no ${missing.map(({ id }) => id).join(', ')}.`)
}

interface Measured extends Read {
  readonly operation: string
  readonly bytes: number
  /** Milliseconds of CPU time of a request in each round, for each side. */
  readonly cpu: readonly (readonly number[])[]
  /** How many requests each side answered in all rounds, and before them. */
  readonly requests: { readonly measured: number; readonly before: number }
}

/** Measures a read in alternating rounds, so that the other load of the machine affects all sides. */
async function measure(operation: string, read: Read, sides: readonly ReadSide[]): Promise<Measured> {
  let [bytes, count] = [0, Infinity]
  for (const side of sides) {
    bytes = await side.check(read)
    count = Math.min(count, await side.calibrate(read))
  }
  const cpu = sides.map((): number[] => [])
  for (let round = 0; round < rounds; round++)
    for (const [index, side] of sides.entries()) cpu[index]?.push(await side.cpuOf(read, count))
  return { ...read, operation, bytes, cpu, requests: { measured: rounds * count, before: 1 + calibrationRequests } }
}

interface Row {
  readonly what: string
  readonly isList: boolean
  /** Milliseconds beside many other accounts, by the log of the server. */
  readonly ms: number
  readonly below: number
  /** Milliseconds of CPU time, of the server and its database. */
  readonly cpu: number
  /** The CPU time, and the time by the log, against those beside one other account. */
  readonly growth: number
  readonly msGrowth: number
  readonly bytes: number
}

/** @param logs of the sides: milliseconds of all requests, by operation, in their order */
function toRows(measured: readonly Measured[], logs: readonly ReadonlyMap<string, readonly number[]>[]): Row[] {
  const seen = new Map<string, number>()
  return measured.map(({ operation, path, entries, below, bytes, cpu: [few = [], many = []], requests }) => {
    const start = (seen.get(operation) ?? 0) + requests.before
    seen.set(operation, start + requests.measured)
    const [msFew = NaN, ms = NaN] = logs.map((log) =>
      median((log.get(operation) ?? []).slice(start, start + requests.measured)),
    )
    const limit = entries === undefined ? readBelow : listBelow * Math.max(1, Math.ceil(entries / 1000))
    return {
      what: `${operation} ${path}`,
      isList: entries !== undefined,
      ms,
      below: below ?? limit,
      bytes,
      cpu: median(many),
      growth: medianRatio(many, few),
      msGrowth: ms / msFew,
    }
  })
}

/** One line for each read, then the limits. */
function report(dialect: string, rows: readonly Row[]): void {
  for (const { what, ms, cpu, growth, msGrowth, bytes } of rows)
    printInfo(
      `${dialect} ${what}`,
      `${ms.toFixed(2)} ms, CPU ${cpu.toFixed(2)} ms, growth ${msGrowth.toFixed(2)} × and ${growth.toFixed(2)} × of CPU, ${String(bytes >> 10)} KiB`,
    )
  // On a busy machine, the time by the log includes that of other processes. A slow read has a long CPU time too.
  const times = rows.map(({ what, isList, ms, cpu, below }) => ({ what, isList, figure: Math.min(ms, cpu), below }))
  const others = `beside ${String(otherAccounts.many)} accounts`
  const growths = rows.map(({ what, growth, msGrowth }) => ({
    what: `${what}, ${others}`,
    figure: Math.min(growth, msGrowth),
    below: growthBelow,
  }))
  check(
    `${dialect} lists`,
    times.filter(({ isList }) => isList),
    ' ms',
  )
  check(
    `${dialect} single reads`,
    times.filter(({ isList }) => !isList),
    ' ms',
  )
  check(`${dialect} reads ${others}`, growths, ' ×')
}

interface Figure {
  readonly what: string
  readonly figure: number
  readonly below: number
}

/** Checks all limits of a kind, and prints only the missed ones and the one that is nearest to its limit. */
function check(kind: string, figures: readonly Figure[], unit: string): void {
  const [nearest, ...others] = figures.toSorted((a, b) => b.figure / b.below - a.figure / a.below)
  const missed = others.filter(({ figure, below }) => !(figure < below))
  for (const { what, figure, below } of nearest === undefined ? [] : [nearest, ...missed])
    checkLimit(`${kind}: ${what}`, figure, { below }, unit)
  const kept = figures.filter(({ figure, below }) => figure < below).length
  printInfo(kind, `${String(kept)} of ${String(figures.length)} limits kept`)
}

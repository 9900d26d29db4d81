import { stat } from 'node:fs/promises'
import { fudgeMax } from '../../ports/dns/wire/tsig.js'
import { codeOf } from '../../shared/private-file.js'
import type { Check, Context } from './check.js'
import type { Report } from './finding.js'

const fetchMs = 4_000

/** Differences in milliseconds. Signatures of S3 are accepted for 15 minutes, and certificates have dates. */
const warningMs = 2_000
const errorMs = 60_000

/**
 * Compares the clock with those of the machines that svc uses anyway: PostgreSQL, the S3 provider. It asks no time server, because
 * svc connects to no machine that the operator has not named.
 */
export const clockCheck: Check = {
  section: 'clock',
  deadlineMs: 15_000,
  async run(context, report) {
    const compared = [
      await compareWithDatabase(context, report),
      await compareWithBucket(context.config, report),
      await compareWithFile(context.config, report),
    ]
    if (!compared.includes(true)) report.ok('Not checked: svc uses no other machine here whose clock it could compare.')
  },
}

/** @returns whether there was a clock to compare with; the same for the others */
async function compareWithDatabase({ database }: Context, report: Report): Promise<boolean> {
  const db = await database
  const before = Date.now()
  const server = await db?.server()
  if (server === undefined) return false
  reportDifference('PostgreSQL', (before + Date.now()) / 2 - server.now, (Date.now() - before) / 2, report)
  return true
}

async function compareWithBucket({ blobs }: Context['config'], report: Report): Promise<boolean> {
  if (blobs.kind !== 's3' || blobs.endpoint === undefined) return false
  const before = Date.now()
  const date = await dateOf(blobs.endpoint)
  if (date === undefined) return false
  // The header has whole seconds.
  reportDifference('the S3 provider', (before + Date.now()) / 2 - date - 500, 500 + (Date.now() - before) / 2, report)
  return true
}

/** The header Date of any answer. @returns milliseconds since the epoch; undefined without an answer: the section of the files says it */
async function dateOf(url: string): Promise<number | undefined> {
  try {
    // The answer to HEAD has no body whose length would have to be limited.
    const { headers } = await fetch(url, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(fetchMs) })
    const date = Date.parse(headers.get('date') ?? '')
    return Number.isNaN(date) ? undefined : date
  } catch (error) {
    if (error instanceof TypeError || error instanceof DOMException) return undefined
    throw error
  }
}

/** A database that was written in the future: the clock has gone back. */
async function compareWithFile({ database }: Context['config'], report: Report): Promise<boolean> {
  if (database.kind !== 'sqlite') return false
  for (const file of [database.file, `${database.file}-wal`]) {
    const written = await stat(file).then(({ mtimeMs }) => mtimeMs, codeOf)
    if (typeof written === 'number' && written - Date.now() > errorMs) {
      report.error(
        `The clock is behind: ${file} was written at ${new Date(written).toISOString()}, and it is ${new Date().toISOString()}.`,
        `Correct the clock, and let it follow a time server (NTP). ${refusedSignatures}`,
      )
      return true
    }
  }
  return false
}

/** @param difference how much this machine's clock is ahead, in milliseconds, with an uncertainty */
export function reportDifference(other: string, difference: number, uncertainty: number, report: Report): void {
  const certain = Math.max(Math.abs(difference) - uncertainty, 0)
  if (certain < warningMs) {
    report.ok(`The clock agrees with that of ${other}.`)
    return
  }
  report.add(
    certain < errorMs ? 'warning' : 'error',
    `The clock is ${(Math.abs(difference) / 1000).toFixed(1)} seconds ${difference > 0 ? 'ahead of' : 'behind'} that of ${other}.`,
    certain < errorMs
      ? 'Let both machines follow a time server (NTP).'
      : `Let both machines follow a time server (NTP). ${refusedSignatures}`,
  )
}

const refusedSignatures = `If it differs by more than ${String(fudgeMax)} seconds from that of a client, DNS messages signed with a key are refused with BADTIME.`

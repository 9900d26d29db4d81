import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../../config.js'
import type { InspectedDatabase } from '../../db/inspected.js'
import type { Finding, Report, Section } from './finding.js'

/** What the checks share. */
export interface Context {
  readonly config: Config
  readonly env: NodeJS.ProcessEnv
  /** The database if it has the tables of this version; otherwise undefined, and the section of the database says why. */
  readonly database: Promise<InspectedDatabase | undefined>
  /** Reports the progress of a check that may take minutes. */
  readonly progress: (text: string) => void
}

/** The zones whose delegation is checked: one, the first ones, or all. */
export type ZoneChoice =
  { readonly kind: 'one'; readonly zone: string } | { readonly kind: 'first' } | { readonly kind: 'all' }

export interface Check {
  readonly section: Section
  /** Maximum duration in milliseconds; undefined for a check whose duration depends on the amount of data, and which ends by itself. */
  readonly deadlineMs: number | undefined
  /**
   * Reports at least one finding. A failure that it does not expect is reported as an error of its section.
   * @param signal aborted at the deadline
   */
  readonly run: (context: Context, report: Report, signal: AbortSignal) => Promise<void>
}

/** Runs a check to its end or deadline. Never throws. @returns what it had found by then */
export async function runCheck({ section, deadlineMs, run }: Check, context: Context): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  let isOver = false
  const report: Report = (status, message, remedy, details) => {
    if (!isOver)
      findings.push({ section, status, message, ...(remedy !== undefined && { remedy }), ...(details && { details }) })
  }
  const late = new AbortController()
  const ended = new AbortController()
  const work = run(context, report, late.signal)
  try {
    if (deadlineMs === undefined) await work
    else if ((await Promise.race([work, lateAfter(deadlineMs, ended.signal)])) === 'late')
      report('error', `The check was not over after ${String(deadlineMs / 1000)} seconds, and was stopped.`)
  } catch (error) {
    report('error', `The check failed: ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    isOver = true
    ended.abort()
    late.abort()
  }
  return findings
}

async function lateAfter(ms: number, signal: AbortSignal): Promise<'late' | undefined> {
  return sleep(ms, 'late' as const, { signal }).catch(() => undefined)
}

/** The database for a check that needs it; reports it if there is none. */
export async function requireDatabase({ database }: Context, report: Report): Promise<InspectedDatabase | undefined> {
  const found = await database
  if (found === undefined) report('warning', 'Not checked, because the database cannot be used.')
  return found
}

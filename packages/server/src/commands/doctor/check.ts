import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../../config/config.js'
import type { InspectedDatabase } from '../../db/inspected.js'
import { Report, type Finding, type Section } from './finding.js'

/** What the checks share. */
export interface Context {
  readonly config: Config
  readonly env: NodeJS.ProcessEnv
  /** The database if it has the tables of this version; otherwise undefined, and the section of the database says why. */
  readonly database: Promise<InspectedDatabase | undefined>
  /** Reports the progress of a check that may take minutes. */
  readonly progress: (text: string) => void
}

/** The zones whose delegation and serials are checked: one, the first ones, or all. */
export type ZoneChoice =
  | { readonly kind: 'one'; readonly zone: string }
  | { readonly kind: 'first' }
  | { readonly kind: 'all' }

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
  const report = new Report(section)
  const late = new AbortController()
  const work = run(context, report, late.signal)
  try {
    if ((await (deadlineMs === undefined ? work : orLate(work, deadlineMs))) === 'late')
      report.error(`The check was not over after ${String(Number(deadlineMs) / 1000)} seconds, and was stopped.`)
  } catch (error) {
    report.error(`The check failed: ${error instanceof Error ? error.message : String(error)}`)
  }
  late.abort()
  // Without what it reports later.
  return [...report.findings]
}

/** @returns `late` for a promise that has not settled in time; ignores what it settles to later */
export async function orLate<R>(promise: Promise<R>, ms: number): Promise<R | 'late'> {
  const ended = new AbortController()
  const late = sleep(ms, 'late' as const, { signal: ended.signal })
  try {
    return await Promise.race([promise, late])
  } finally {
    ended.abort()
  }
}

/** Why a request failed, from the error that caused the failure if there is one. */
export const reasonOf = (error: unknown): string => {
  const inner = (error instanceof Error ? error.cause : undefined) ?? error
  return inner instanceof Error ? inner.message : String(inner)
}

/** The database for a check that needs it; reports a missing one. */
export async function requireDatabase({ database }: Context, report: Report): Promise<InspectedDatabase | undefined> {
  const found = await database
  if (found === undefined) report.warning('Not checked, because the database cannot be used.')
  return found
}

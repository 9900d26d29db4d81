import { readConfig } from '../src/config/config.js'
import type { InspectedDatabase } from '../src/db/inspected.js'
import { runCheck, type Check } from '../src/commands/doctor/check.js'
import { Report } from '../src/commands/doctor/finding.js'

/** The findings of one check of `svc doctor`, each as `status message`. */
export async function findingsOf(
  check: Check,
  env: Record<string, string> = {},
  database?: InspectedDatabase,
): Promise<string[]> {
  const context = { config: readConfig({ env }), env, database: Promise.resolve(database), progress: () => undefined }
  return (await runCheck(check, context)).map(({ status, message }) => `${status} ${message}`)
}

/** What a function reports, each as `status message`. */
export function reported(run: (report: Report) => void): string[] {
  const report = new Report('disk')
  run(report)
  return report.findings.map(({ status, message }) => `${status} ${message}`)
}

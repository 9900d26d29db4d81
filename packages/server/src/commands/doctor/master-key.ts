import { keyProblems } from '../../ports/vault/configured-key.js'
import { keyStore } from '../../ports/vault/key-store.js'
import { requireDatabase, type Check } from './check.js'

/** The configured master key, compared with the one that the database needs. */
export const keyCheck: Check = {
  section: 'key',
  deadlineMs: 20_000,
  async run(context, report) {
    const db = await requireDatabase(context, report)
    if (db === undefined) return
    const state = await keyStore(db).state()
    const problems = await keyProblems(context.config.vault, state)
    for (const problem of problems) report.error(problem)
    if (problems.length > 0) return
    if (state === undefined) report.ok('There is no master key yet: the first start of the server creates it.')
    else report.ok(`The master key ${state.currentId} opens the stored secrets.`)
  },
}

import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import type { Integrity } from '../inspected.js'

/** How many problems of one kind are listed. */
const listedMax = 10

/**
 * Runs in a separate process: SQLite's checks read the whole file in one call, which nothing but the end of the process can interrupt.
 * Prints a JSON list of problems.
 */
const program = `
const [module, file, max] = process.argv.slice(1)
const database = new (require(module))(file, { readonly: true, fileMustExist: true })
let damages
try {
  damages = database.pragma('quick_check(' + max + ')').map((row) => row.quick_check).filter((text) => text !== 'ok')
} catch (error) {
  // Some damaged pages end the check itself.
  if (!String(error.code).startsWith('SQLITE_CORRUPT')) throw error
  damages = [error.message]
}
const orphans = []
if (damages.length === 0)
  for (const { table, rowid, parent } of database.prepare('select * from pragma_foreign_key_check limit ' + max).iterate())
    orphans.push('row ' + rowid + ' of ' + table + ' refers to a missing row of ' + parent)
process.stdout.write(JSON.stringify({ damages, orphans }))
`

/**
 * Checks a SQLite file: `quick_check`, then `foreign_key_check`. Changes nothing, and runs beside a server.
 * @returns undefined if the check was not over in time
 * @throws Error with the message of SQLite
 */
export function checkIntegrity(file: string, deadlineMs: number, signal: AbortSignal): Promise<Integrity | undefined> {
  const sqlite = createRequire(import.meta.url).resolve('better-sqlite3')
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      ['-e', program, '--', sqlite, file, String(listedMax)],
      { timeout: deadlineMs, killSignal: 'SIGKILL', signal, windowsHide: true },
      (error, stdout, stderr) => {
        if (error === null) resolve(JSON.parse(stdout) as Integrity)
        else if (error.killed || signal.aborted) resolve(undefined)
        else reject(new Error(/^\w*Error: (.*)$/m.exec(stderr)?.[1] ?? error.message, { cause: error }))
      },
    )
  })
}

import { describeDatabase } from '../config/database.js'
import type { DatabaseConfig } from '../db/connect.js'
import { OperatorError } from '../operator-error.js'

/** What each failure of a SQLite file means to the operator, by the error code of Node or of SQLite. */
const sqliteFailures: readonly (readonly [codes: RegExp, what: string])[] = [
  [/^(EACCES|EPERM|EROFS|SQLITE_CANTOPEN.*|SQLITE_READONLY.*|SQLITE_PERM)$/, 'cannot be opened for writing'],
  [/^(ENOTDIR|EEXIST)$/, 'lies below something that is no directory'],
  [/^(ENOSPC|SQLITE_FULL)$/, 'has no room left on its disk'],
  [/^SQLITE_(NOTADB|CORRUPT.*)$/, 'is no SQLite database, or a damaged one'],
  [/^SQLITE_(BUSY|LOCKED).*$/, 'is locked by another process that does not let go'],
  [/^SQLITE_IOERR.*$/, 'cannot be read or written, says the disk'],
]

/** The same for PostgreSQL: error codes of Node and SQLSTATEs (its documentation, appendix A). */
const postgresFailures: readonly (readonly [codes: RegExp, what: string])[] = [
  [/^ECONNREFUSED$/, 'refuses connections: is it running there?'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'has a host name that does not resolve'],
  [/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ECONNRESET)$/, 'cannot be reached over the network'],
  [/^28\w{3}$/, 'does not accept the user and password'],
  [/^3D000$/, 'does not exist on that server: create it first'],
  [/^42501$/, 'does not let this user make tables: make it the owner'],
  [/^(53300|57P0\d)$/, 'takes no connections at the moment'],
]

/** What the operator can do about a database that fails; the error itself where it is nothing of theirs. */
export function explainDatabaseFailure(error: unknown, config: DatabaseConfig): unknown {
  const failures = config.kind === 'sqlite' ? sqliteFailures : postgresFailures
  const codes = codesOf(error)
  const found = failures.find(([pattern]) => codes.some((code) => pattern.test(code)))
  const what = found?.[1] ?? (config.kind === 'postgres' && isTimeout(error) ? 'does not answer' : undefined)
  if (what === undefined) return error
  const remedy =
    config.kind === 'sqlite'
      ? 'check its directory, or set SVC_DATA or SVC_DATABASE to another place'
      : 'check SVC_DATABASE'
  return new OperatorError(
    `The database ${describeDatabase(config)} ${what}; ${remedy}.`.replace(/\?;/, '? If not,'),
    1,
    {
      cause: error,
    },
  )
}

/** Of the error and of all that caused it. */
function codesOf(error: unknown): string[] {
  const codes: string[] = []
  for (let next = error; next instanceof Error; next = next.cause)
    if ('code' in next && typeof next.code === 'string') codes.push(next.code)
  return codes
}

/** The driver gives its own deadlines no code. */
function isTimeout(error: unknown): boolean {
  for (let next = error; next instanceof Error; next = next.cause) if (/time(d )?out/i.test(next.message)) return true
  return false
}

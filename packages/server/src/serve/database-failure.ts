import { describeDatabase } from '../config/database.js'
import type { DatabaseConfig } from '../db/connect.js'
import { OperatorError } from '../operator-error.js'

/** Messages for failures of a SQLite file, by the error code of Node.js or SQLite. */
const sqliteFailures: readonly (readonly [codes: RegExp, what: string])[] = [
  [/^(EACCES|EPERM|EROFS|SQLITE_CANTOPEN.*|SQLITE_READONLY.*|SQLITE_PERM)$/, 'cannot be opened for writing'],
  [/^(ENOTDIR|EEXIST)$/, 'has a parent that is not a directory'],
  [/^(ENOSPC|SQLITE_FULL)$/, 'is on a full disk'],
  [/^SQLITE_(NOTADB|CORRUPT.*)$/, 'is not a SQLite database, or is damaged'],
  [/^SQLITE_(BUSY|LOCKED).*$/, 'is locked by another process'],
  [/^SQLITE_IOERR.*$/, 'cannot be read or written because of a disk error'],
]

/** The same for PostgreSQL, by the error code of Node.js or the SQLSTATE (PostgreSQL's documentation, appendix A). */
const postgresFailures: readonly (readonly [codes: RegExp, what: string])[] = [
  [/^ECONNREFUSED$/, 'refuses connections: is PostgreSQL running there?'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'has a host name that does not resolve'],
  [/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ECONNRESET)$/, 'cannot be reached over the network'],
  [/^28\w{3}$/, 'does not accept the user and password'],
  [/^3D000$/, 'does not exist on that server: create it first'],
  [/^42501$/, 'does not let this user create tables: make the user its owner'],
  [/^(53300|57P0\d)$/, 'accepts no connections at the moment'],
]

/** An error that tells the operator how to repair the database; the error itself if it is a bug, or already says what to repair. */
export function explainDatabaseFailure(error: unknown, config: DatabaseConfig): unknown {
  if (error instanceof OperatorError) return error
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

/** The error codes of an error and of its causes. */
function codesOf(error: unknown): string[] {
  const codes: string[] = []
  for (let next = error; next instanceof Error; next = next.cause)
    if ('code' in next && typeof next.code === 'string') codes.push(next.code)
  return codes
}

/** The driver's own timeouts have no code. */
function isTimeout(error: unknown): boolean {
  for (let next = error; next instanceof Error; next = next.cause) if (/time(d )?out/i.test(next.message)) return true
  return false
}

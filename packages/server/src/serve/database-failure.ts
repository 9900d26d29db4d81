import { describeDatabase } from '../config/database.js'
import type { DatabaseConfig } from '../db/connect.js'
import { NewerSchema } from '../db/migrate.js'
import { OperatorError } from '../shared/operator-error.js'
import { databaseFile } from '../shared/usable-path.js'
import { version } from '../shared/version.js'

/** Failures of a SQLite file and their remedies, by the error code of Node.js or SQLite. */
const sqliteFailures: readonly (readonly [codes: RegExp, what: string, remedy: string])[] = [
  [
    /^(EACCES|EPERM|EROFS|SQLITE_CANTOPEN.*|SQLITE_READONLY.*|SQLITE_PERM)$/,
    'cannot be opened for writing',
    'check the owner and the mode of the file and of its directory',
  ],
  // The -shm file cannot grow.
  [/^(ENOSPC|EDQUOT|SQLITE_FULL|SQLITE_IOERR_SHMSIZE)$/, 'is on a full disk', 'free some space'],
  [/^SQLITE_(NOTADB|CORRUPT.*)$/, 'is not a SQLite database, or is damaged', 'restore it from a backup'],
  [/^SQLITE_(BUSY|LOCKED).*$/, 'is locked by another process', 'end that process'],
  [/^SQLITE_IOERR.*$/, 'cannot be read or written because of a disk error', 'check its disk'],
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
  // Of the connection, or of the server. A pooler reports all its errors so.
  [/^(08|53|57|58|XX)\w{3}$/, 'reports an error'],
]

/** An error that tells the operator how to repair the database; the error itself if it is a bug, or already says what to repair. */
export function explainDatabaseFailure(error: unknown, config: DatabaseConfig): unknown {
  if (error instanceof OperatorError) return error
  const said = error instanceof NewerSchema ? describeNewerSchema(error) : describeFailure(error, config)
  if (said === undefined) return error
  return new OperatorError(`The database ${describeDatabase(config)} ${said}.`, 1, { cause: error })
}

const describeNewerSchema = ({ unknown }: NewerSchema): string =>
  `was migrated by a newer svc than this one, ${version}, which does not know ${unknown.join(', ')}: install the newer svc, or restore a backup from before its first start`

/** @returns undefined unless the database has reported the error */
function describeFailure(error: unknown, { kind, flag }: DatabaseConfig): string | undefined {
  const codes = codesOf(error)
  const isMatch = ([pattern]: readonly [RegExp, ...string[]]) => codes.some((code) => pattern.test(code))
  if (kind === 'sqlite') {
    const [, what, remedy] = sqliteFailures.find(isMatch) ?? []
    return what && `${what}: ${String(remedy)}, or ${elsewhere(flag)}`
  }
  const what = postgresFailures.find(isMatch)?.[1] ?? (isTimeout(error) ? 'does not answer' : undefined)
  const said = messageOfServer(error)
  return (
    what &&
    `${what}${said === undefined ? '' : ` (${said})`}; check ${flag ?? 'SVC_DATABASE'}`.replace(/\?;/, '? If not,')
  )
}

/** The message of an error that the server, or a pooler, has reported. */
function messageOfServer(error: unknown): string | undefined {
  for (let next = error; next instanceof Error; next = next.cause) if ('severity' in next) return next.message
  return undefined
}

const elsewhere = (flag: string | undefined): string =>
  flag === undefined ? databaseFile.otherwise : `name another place with ${flag}`

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

import { describeDatabase, type Config } from '../../config/config.js'
import { unknownIn } from '../../db/migrate.js'
import { isAdditive, migrationNames } from '../../db/migrations/index.js'
import { OperatorError } from '../../shared/operator-error.js'
import { version } from '../../shared/version.js'
import { openForDoctor } from './database.js'

/** How the tables of this version differ from those of the version that has used the database. */
export interface UpgradeCheck {
  /** Whether the older of the two versions works on the tables of the newer one, so that going back to it keeps all writes. */
  readonly keepsWrites: boolean
  /** The migrations that the first start of this version applies. */
  readonly pending: readonly string[]
  /** The applied migrations that only a newer version has. */
  readonly unknown: readonly string[]
  readonly text: string
}

/**
 * `svc doctor --upgrade-check`: whether an upgrade to this version, or the return to it, keeps all writes. Changes nothing.
 * @throws OperatorError if the database cannot be read, or has no tables of svc
 */
export async function checkUpgrade({ database }: Pick<Config, 'database'>): Promise<UpgradeCheck> {
  const opened = await openForDoctor(database)
  if (opened.kind === 'failed') throw new OperatorError(opened.message)
  try {
    if (opened.schema === 'empty')
      throw new OperatorError(`The database ${describeDatabase(database)} has no tables of svc.`)
    return compareMigrations(await opened.database.migrations())
  } finally {
    await opened.database.close()
  }
}

/** @param applied the names of the applied migrations, at least one @param known those of this version */
export function compareMigrations(applied: readonly string[], known = migrationNames): UpgradeCheck {
  const pending = known.filter((name) => !applied.includes(name))
  const unknown = unknownIn(applied, known)
  const changes = [...pending, ...unknown].filter((name) => !isAdditive(name))
  return { keepsWrites: changes.length === 0, pending, unknown, text: textOf(pending, unknown) }
}

function textOf(pending: readonly string[], unknown: readonly string[]): string {
  const changes = (names: readonly string[]) => names.filter((name) => !isAdditive(name)).join(', ')
  if (changes(unknown) !== '')
    return `svc ${version} cannot use the tables of the newer version (${changes(unknown)}): restore the backup from before the upgrade, with this version.`
  if (changes(pending) !== '')
    return `The first start of svc ${version} changes tables (${changes(pending)}): the version before cannot use them then. Make a backup first; to go back, restore it.`
  const additions = [...pending, ...unknown].join(', ')
  if (additions !== '')
    return `The versions differ in tables and columns that one of them adds (${additions}): the older version works with them. Going back keeps all writes.`
  return `svc ${version} uses the tables as they are. Going back keeps all writes.`
}

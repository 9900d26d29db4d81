import { join, resolve } from 'node:path'
import { shellQuoted } from '@svc/contract'
import type { Config } from '../config.js'

/** The hint on an empty database: without an account only the public utilities can be used. */
export function firstAccountHint(config: Config): string {
  // The URL may hold a password, so it is not repeated.
  const where = config.database.kind === 'postgres' ? ', with SVC_DATABASE set as for the server' : ''
  return [
    `There is no account yet. Create the first one and a token for it${where}:`,
    `  npx svc user add you@example.com${sameDatabase(config)}`,
    `  npx svc token add you@example.com --name first --scope '*'${sameDatabase(config)}`,
    '',
  ].join('\n')
}

/** The flag with which a command finds this server's database. */
function sameDatabase({ data, database }: Config): string {
  if (database.kind === 'postgres') return ''
  if (database.file !== join(data, 'svc.db')) return ` --database ${shellQuoted(`sqlite:${database.file}`)}`
  return data === resolve('data') ? '' : ` --data ${shellQuoted(data)}`
}

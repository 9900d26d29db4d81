import { join, resolve } from 'node:path'
import { shellQuoted } from '@svc/contract'
import type { Config } from '../config/config.js'
import { command } from '../shared/version.js'

/**
 * The hint on an empty database: without an account only the public utilities can be used.
 * @param url of the server for clients on this machine
 * @param code with which the console creates the first account
 */
export function firstAccountHint(config: Config, url: string, code: string): string {
  // The URL may hold a password, so it is not repeated.
  const where = config.database.kind === 'postgres' ? ', with SVC_DATABASE set as for the server' : ''
  return [
    'There is no account yet.',
    `Open ${config.publicUrl ?? url}/console and enter the code ${code} to create the first account.`,
    `Or create it, and a token for it, with these commands${where}:`,
    `  ${command} user add you@example.com${sameDatabase(config)}`,
    `  ${command} token add you@example.com --name first --scope '*'${sameDatabase(config)}`,
    '',
  ].join('\n')
}

/** The flag with which a command finds this server's database. */
function sameDatabase({ data, database }: Config): string {
  if (database.kind === 'postgres') return ''
  if (database.file !== join(data, 'svc.db')) return ` --database ${shellQuoted(`sqlite:${database.file}`)}`
  return data === resolve('data') ? '' : ` --data ${shellQuoted(data)}`
}

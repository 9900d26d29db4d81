import { join, resolve } from 'node:path'
import type { Config } from '../config.js'

/** Told on an empty database: without an account nobody can do more than the public utilities. */
export function firstAccountHint(config: Config): string {
  // The URL may hold a password, so it is not repeated.
  const where = config.database.kind === 'postgres' ? ', with SVC_DATABASE set as for the server' : ''
  return [
    `There is no account yet. Make the first one, and a token for it${where}:`,
    `  npx svc user add you@example.com${sameDatabase(config)}`,
    `  npx svc token add you@example.com --name first --scope '*'${sameDatabase(config)}`,
    '',
  ].join('\n')
}

/** What makes a command find the database that this server uses. */
function sameDatabase({ data, database }: Config): string {
  if (database.kind === 'postgres') return ''
  if (database.file !== join(data, 'svc.db')) return ` --database ${quoted(`sqlite:${database.file}`)}`
  return data === resolve('data') ? '' : ` --data ${quoted(data)}`
}

/** For a POSIX shell. */
const quoted = (text: string): string =>
  /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`

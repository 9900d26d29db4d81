import { resolve } from 'node:path'
import type { DatabaseConfig } from '../db/connect.js'
import { InvalidSetting } from './setting.js'
import { parseUrl } from '../shared/parse-url.js'

const form = 'must be sqlite:<file> or postgres://<user>:<password>@<host>/<database>'

/** Parses the URL of the database. Errors do not quote it, because it may contain a password. */
export function database(text: string): DatabaseConfig {
  const scheme = /^([a-z][a-z\d+.-]*):/i.exec(text)?.[1]?.toLowerCase()
  if (scheme === 'sqlite') return sqlite(text.slice('sqlite:'.length))
  if (scheme === 'postgres' || scheme === 'postgresql') return postgres(text)
  throw new InvalidSetting(scheme === undefined ? form : `${form}, not ${scheme}:`)
}

function sqlite(file: string): DatabaseConfig {
  // Several connections share the database, so it must be a file.
  if (file === '' || file === ':memory:') throw new InvalidSetting(`${form}: sqlite needs a file`)
  if (/^\/\/(?!\/)/.test(file)) throw new InvalidSetting(`${form}: a path after sqlite: starts with one slash or none`)
  return { kind: 'sqlite', file: resolve(file) }
}

function postgres(text: string): DatabaseConfig {
  const url = parseUrl(text)
  if (!url) throw new InvalidSetting(`${form}, with special characters of the password percent-encoded`)
  // A slash in the password ends the host: the rest of the password would be printed as the name of the database.
  if (url.pathname.includes('@'))
    throw new InvalidSetting(`${form}, with special characters of the password percent-encoded`)
  if (url.hostname === '' && !url.searchParams.has('host')) throw new InvalidSetting(`${form}: the host is missing`)
  return { kind: 'postgres', url: text }
}

/** The URL of a database without user and password, for messages. */
export function describeDatabase(config: DatabaseConfig): string {
  if (config.kind === 'sqlite') return `sqlite:${config.file}`
  const { hostname, port, pathname, searchParams } = new URL(config.url)
  const host = hostname === '' ? (searchParams.get('host') ?? '') : hostname
  return `postgres://${host}${port === '' ? '' : `:${port}`}${pathname}`
}

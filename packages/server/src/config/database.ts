import { resolve } from 'node:path'
import type { DatabaseConfig } from '../db/connect.js'
import { Unfit } from './setting.js'

const form = 'must be sqlite:<file> or postgres://<user>:<password>@<host>/<database>'

/** Where rows live. What is wrong is said without repeating the text: it may hold a password. */
export function database(text: string): DatabaseConfig {
  const scheme = /^([a-z][a-z\d+.-]*):/i.exec(text)?.[1]?.toLowerCase()
  if (scheme === 'sqlite') return sqlite(text.slice('sqlite:'.length))
  if (scheme === 'postgres' || scheme === 'postgresql') return postgres(text)
  throw new Unfit(scheme === undefined ? form : `${form}, not ${scheme}:`)
}

function sqlite(file: string): DatabaseConfig {
  // Several connections share the file, so there is none without one.
  if (file === '' || file === ':memory:') throw new Unfit(`${form}: sqlite needs a file`)
  if (/^\/\/(?!\/)/.test(file)) throw new Unfit(`${form}: a path after sqlite: starts with one slash or none`)
  return { kind: 'sqlite', file: resolve(file) }
}

function postgres(text: string): DatabaseConfig {
  if (!URL.canParse(text)) throw new Unfit(`${form}, with special characters of the password percent-encoded`)
  const url = new URL(text)
  // With a slash in the password the URL ends there: the rest of it would be printed as the database's name.
  if (url.pathname.includes('@')) throw new Unfit(`${form}, with special characters of the password percent-encoded`)
  if (url.hostname === '' && !url.searchParams.has('host')) throw new Unfit(`${form}: the host is missing`)
  return { kind: 'postgres', url: text }
}

/** A database as it may be printed: without user and password. */
export function describeDatabase(config: DatabaseConfig): string {
  if (config.kind === 'sqlite') return `sqlite:${config.file}`
  const { hostname, port, pathname, searchParams } = new URL(config.url)
  const host = hostname === '' ? (searchParams.get('host') ?? '') : hostname
  return `postgres://${host}${port === '' ? '' : `:${port}`}${pathname}`
}

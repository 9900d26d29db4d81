import { join, resolve } from 'node:path'
import { shellQuoted } from '@svc/contract'
import type { App } from '../app/app.js'
import type { Config } from '../config/config.js'
import { command } from '../shared/version.js'

/**
 * The hint on an empty database: without an account only the public utilities can be used.
 * @param url of the server for clients on this machine
 * @param code with which the console creates the first account
 * @param uncertified the host of the public URL if svc ends TLS itself and has no certificate for the host
 */
export function firstAccountHint(config: Config, url: string, code: string, uncertified?: string): string {
  // The URL may hold a password, so it is not repeated.
  const where = config.database.kind === 'postgres' ? ', with SVC_DATABASE set as for the server' : ''
  return [
    'There is no account yet.',
    ...(uncertified === undefined
      ? [
          `Open ${config.publicUrl ?? url}/console and enter the code ${code} to create the first account.`,
          `Or create it, and a token for it, with these commands${where}:`,
        ]
      : [
          `As soon as svc has a certificate for ${uncertified}, open ${String(config.publicUrl)}/console and enter the code ${code} to create the first account.`,
          `Until then, browsers cannot open it: create the account, and a token for it, with these commands${where}:`,
        ]),
    `  ${command} user add you@example.com${sameDatabase(config)}`,
    `  ${command} token add you@example.com --name first --scope '*'${sameDatabase(config)}`,
    ...(uncertified === undefined ? [] : [`With the token, programs on this machine can use the API at ${url}.`]),
    '',
  ].join('\n')
}

/** @returns the host of the public URL if svc ends TLS itself and has no certificate for the host; otherwise undefined */
export function uncertifiedHost(
  { tls }: Pick<Config, 'tls'>,
  certificates: Pick<NonNullable<App['certificates']>, 'find'> | undefined,
): string | undefined {
  if (tls === undefined || certificates === undefined) return undefined
  const host = new URL(tls.publicUrl).hostname.replace(/^\[|\]$/g, '')
  return certificates.find(host) === undefined ? host : undefined
}

/** The flag with which a command finds this server's database. */
function sameDatabase({ data, database }: Config): string {
  if (database.kind === 'postgres') return ''
  if (database.file !== join(data, 'svc.db')) return ` --database ${shellQuoted(`sqlite:${database.file}`)}`
  return data === resolve('data') ? '' : ` --data ${shellQuoted(data)}`
}

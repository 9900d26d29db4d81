import { Command } from 'commander'
import { databaseSettings, loadTlsCommands, readDatabaseConfig, type CertificateState } from '@svc/server'
import { note, print, printJson } from './output.js'
import { addSettings, sourceOf } from './settings-options.js'
import { tableText } from './table.js'

/** `svc tls …`: the certificates that svc orders. Works beside a running server. */
export function tlsCommand(): Command {
  return new Command('tls')
    .description('List and renew the certificates that svc orders')
    .addCommand(listCommand())
    .addCommand(renewCommand())
}

interface ListOptions extends Record<string, unknown> {
  json?: boolean
}

function listCommand(): Command {
  const command = new Command('list')
    .description('List the certificates: names, issuer, end, the last error and the next attempt')
    .option('--json', 'print JSON')
  return addSettings(command, databaseSettings).action(async ({ json = false, ...options }: ListOptions) => {
    const { listCertificates } = await loadTlsCommands()
    const certificates = await listCertificates({ database: readDatabaseConfig(sourceOf(options, databaseSettings)) })
    if (json) printJson({ certificates })
    else if (certificates.length === 0) note('svc orders no certificates: SVC_ACME=on starts it.')
    else for await (const text of tableText(head, [certificates.map(rowOf)])) print(text.trimEnd())
  })
}

const head = ['NAMES', 'STATUS', 'ISSUER', 'NOT AFTER', 'NEXT ATTEMPT', 'ERROR']

const rowOf = ({ names, status, issuer, not_after, next_attempt, error }: CertificateState): string[] => [
  names.join(' '),
  status,
  issuer ?? '-',
  not_after ?? '-',
  next_attempt,
  error ?? '-',
]

function renewCommand(): Command {
  const command = new Command('renew')
    .description('Order a certificate now, whatever has failed before')
    .argument('<name>', 'one of its names')
  return addSettings(command, databaseSettings).action(async (name: string, options: Record<string, unknown>) => {
    const { renewCertificate } = await loadTlsCommands()
    const names = await renewCertificate({ database: readDatabaseConfig(sourceOf(options, databaseSettings)) }, name)
    note(
      `The running server orders the certificate for ${names.join(' and ')} within seconds; svc tls list shows the outcome.`,
    )
  })
}

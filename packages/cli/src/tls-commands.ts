import { Command } from 'commander'
import {
  certificateSettings,
  databaseSettings,
  keySettings,
  loadTlsCommands,
  loadTlsFiles,
  loadTlsImportCommand,
  readConfig,
  readDatabaseConfig,
  readTlsFiles,
  type CertificateState,
  type FileState,
} from '@svc/server'
import { note, print, printJson } from './output.js'
import { addSettings, sourceOf } from './settings-options.js'
import { tableText } from './table.js'

/** `svc tls …`: the certificates that svc orders. Works beside a running server. */
export function tlsCommand(): Command {
  return new Command('tls')
    .description('List, renew and import the certificates that svc orders')
    .addCommand(listCommand())
    .addCommand(renewCommand())
    .addCommand(importCommand())
}

interface ListOptions extends Record<string, unknown> {
  json?: boolean
}

function listCommand(): Command {
  const command = new Command('list')
    .description('List the certificates: names, account, issuer, end, the last error and the next attempt')
    .option('--json', 'print JSON')
  return addSettings(command, certificateSettings).action(async ({ json = false, ...options }: ListOptions) => {
    const { listCertificates } = await loadTlsCommands()
    const source = sourceOf(options, certificateSettings)
    const certificates = await listCertificates({ database: readDatabaseConfig(source) })
    const places = readTlsFiles(source)
    const files = places === undefined ? [] : await (await loadTlsFiles()).fileCertificates(places)
    if (json) {
      printJson({ certificates: [...certificates.map((one) => ({ file: null, ...one })), ...files] })
      return
    }
    if (certificates.length === 0) note('svc orders no certificates: SVC_ACME=on starts it.')
    else for await (const text of tableText(head, [certificates.map(rowOf)])) print(text.trimEnd())
    if (places === undefined) return
    note(`The certificates of SVC_TLS_CERT, ${places.certificates}, are served first:`)
    for (const file of files) for (const line of fileLines(file)) note(`  ${line}`)
  })
}

const fileLines = ({ file, names, issuer, not_after, error }: FileState): string[] => [
  ...(not_after === null ? [] : [`${names.join(' ')}: issued by ${issuer ?? '-'}, until ${not_after}`]),
  ...(error === null ? [] : [`${file}: ${error}`]),
]

const head = ['NAMES', 'ACCOUNT', 'STATUS', 'ISSUER', 'NOT AFTER', 'NEXT ATTEMPT', 'ERROR']

const rowOf = ({ names, account, status, issuer, not_after, next_attempt, error }: CertificateState): string[] => [
  names.join(' '),
  account ?? '-',
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

const importDetails = `
Works beside a running server, which serves the certificate within a second, and renews it when it is due. The certificate must have all
names of one that svc wants: svc tls list shows them. Without NAME, it replaces all of which it has the names.
Example: svc tls import --cert /etc/letsencrypt/live/example.net/fullchain.pem --key /etc/letsencrypt/live/example.net/privkey.pem`

interface ImportOptions extends Record<string, unknown> {
  cert: string
  key: string
}

function importCommand(): Command {
  const command = new Command('import')
    .description('Store a certificate of certbot, lego, acme.sh or another program, with its key')
    .argument('[name]', 'one of the names of the certificate that it replaces')
    .requiredOption('--cert <file>', 'the certificate with its chain, in PEM')
    .requiredOption('--key <file>', 'its private key, in PEM and without a password')
    .addHelpText('after', importDetails)
  return addSettings(command, keySettings).action(
    async (name: string | undefined, { cert, key, ...options }: ImportOptions) => {
      const { importCertificate } = await loadTlsImportCommand()
      const config = readConfig(sourceOf(options, keySettings))
      for (const { names, not_after, renew_at } of await importCertificate(config, { certificate: cert, key }, name))
        note(`Imported for ${names.join(' and ')}: valid until ${not_after}, to be renewed at ${renew_at}.`)
    },
  )
}

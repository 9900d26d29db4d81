import { rmSync } from 'node:fs'
import { Command } from 'commander'
import {
  counted,
  escapeLine,
  exportSettings,
  importSettings,
  loadAccountExportCommand,
  loadAccountImportCommand,
  OperatorError,
  readConfig,
} from '@svc/server'
import { readInput } from './input.js'
import { accountEventsCommand } from './event-commands.js'
import { progressText } from './backup-command.js'
import { startCountsLine } from './counts-line.js'
import { note, print, printSecret } from './output.js'
import { addSettings, sourceOf } from './settings-options.js'
import { beforeSignal, interruptible } from './transfer/before-signal.js'
import { bytesText } from './transfer/quantities.js'

/** `svc account …`: lists what was done in an account, and moves it to another installation. Works beside a running server. */
export function accountCommand(): Command {
  return new Command('account')
    .description('List what was done in an account, or move it to another installation')
    .addCommand(accountEventsCommand())
    .addCommand(exportCommand())
    .addCommand(importCommand())
}

const exportDetails = `
The file has everything of the account as of one moment: zones, files, sites, packages, deployments, messages, domains, credentials,
tokens and the hash of the password. Open uploads and browser sessions are left out. The account stays as it is.
Stored secrets are encrypted under a new export key, which is printed to stdout. Keep it apart from the file: svc account import
asks for it. An account without stored secrets has no export key.
Example: (umask 077; svc account export ada@example.com ada.svc >ada.key)`

function exportCommand(): Command {
  const command = new Command('export')
    .description('Write everything of an account to a file')
    .argument('<email>')
    .argument('<file>', 'the file to write; it must not exist')
    .addHelpText('after', exportDetails)
  return addSettings(command, exportSettings).action(
    async (email: string, file: string, options: Record<string, unknown>) => {
      const { exportAccount } = await loadAccountExportCommand()
      const line = await startCountsLine()
      let forgetTemporary = (): void => undefined
      try {
        const done = await exportAccount(readConfig(sourceOf(options, exportSettings)), {
          email,
          file,
          onProgress: (progress) => line.show(progressText(progress)),
          onTemporary: (temporary) => {
            forgetTemporary = beforeSignal(() => rmSync(temporary, { force: true }))
          },
          showKey: (key) => {
            line.stop()
            note('The export key follows on stdout. It is shown only once.')
            return printSecret(`${key}\n`)
          },
        })
        line.stop()
        const { account, rows, objects, size, lost, damaged } = done
        note(
          escapeLine(
            `Exported ${account.email} to ${file}: ${counted(rows, 'row')}, ${counted(objects, 'object')}, ${bytesText(size)}.`,
          ),
        )
        if (damaged.length > 0 || lost.count > 0) throw new OperatorError(lossOf(lost.count, damaged))
      } finally {
        forgetTemporary()
        line.stop()
      }
    },
  )
}

/** Names what could not be exported. */
function lossOf(lost: number, damaged: readonly string[]): string {
  const losses = [
    ...(lost > 0 ? [`${counted(lost, 'object')} that cannot be read (svc doctor lists them)`] : []),
    ...(damaged.length > 0 ? [`${damaged.join(', ')}, which do not decrypt`] : []),
  ]
  return `The file is complete except for ${losses.join('; and ')}.`
}

const importDetails = `
All or nothing: if it fails or is interrupted, repeat it. FILE is read twice, so it cannot be a pipe. The account gets new ids. A name, link
or key of it that exists here already is replaced by another one or left out; each such change is printed.
Give the key that svc account export printed on stdin with --key-stdin, or in SVC_EXPORT_KEY.
Run it with the settings of the server.
Example: svc account import ada.svc --key-stdin <ada.key`

interface ImportOptions extends Record<string, unknown> {
  email?: string
  keyStdin?: true
}

function importCommand(): Command {
  const command = new Command('import')
    .description('Create the account of a file of svc account export')
    .argument('<file>')
    .option('--email <email>', 'import the account under another email address')
    .option('--key-stdin', 'read the export key from stdin')
    .addHelpText('after', importDetails)
  return addSettings(command, importSettings).action(
    async (file: string, { email, keyStdin, ...options }: ImportOptions) => {
      const { importAccount, publishZones } = await loadAccountImportCommand()
      const config = readConfig(sourceOf(options, importSettings))
      const readKey = () => (keyStdin ? keyFromStdin() : Promise.resolve(process.env['SVC_EXPORT_KEY']))
      const done = await interruptible((signal) => {
        // Ends the wait for a key.
        signal.addEventListener('abort', () => process.stdin.destroy(), { once: true })
        return importAccount(config, { file, email, readKey, signal })
      })
      for (const change of done.changes) print(escapeLine(change))
      note(escapeLine(`Imported ${done.email}: ${counted(done.rows, 'row')}, ${counted(done.objects, 'object')}.`))
      await publishZones(config, done.zones)
    },
  )
}

/** 64 digits and white space. */
const keyMaxBytes = 1024

async function keyFromStdin(): Promise<string | undefined> {
  return (await readInput('-', keyMaxBytes))?.toString()
}

import { Command } from 'commander'
import { escapeLine, keySettings, loadKeyCommands, OperatorError, readConfig } from '@svc/server'
import { note, printSecret } from './output.js'
import { addSettings, sourceOf } from './settings-options.js'

/** `svc key …`: the key that encrypts stored secrets. Works beside a running server. */
export function keyCommand(): Command {
  return new Command('key').description('Rotate the master key').addCommand(rotateCommand())
}

const details = `
Makes a new master key, and wraps the data key of each secret with it. Servers keep running, and need no restart.
Run it with the settings of the server. If it is interrupted, run it again: it continues.
With a key file, the file is replaced. With SVC_MASTER_KEY, the new key is printed to stdout before anything changes. Save it, set
SVC_MASTER_KEY to it for all servers, and restart them: that ends the rotation. Until then, the old key opens the new one, and
a repeated command prints the new key again.`

function rotateCommand(): Command {
  const command = new Command('rotate')
    .description('Replace the master key, and rewrap all stored secrets')
    .addHelpText('after', details)
  return addSettings(command, keySettings).action(async (options: Record<string, unknown>) => {
    const config = readConfig(sourceOf(options, keySettings))
    const { rotateKey } = await loadKeyCommands()
    const { oldId, newId, damaged, hasEnded } = await rotateKey(config, {
      showKey: (key) => {
        note('The new master key follows on stdout: save it now.')
        return printSecret(`${key}\n`)
      },
      note: (done) => note(escapeLine(done)),
    })
    note(
      hasEnded
        ? `The master key is ${newId}. The old one, ${oldId}, opens only old backups of the database.`
        : `The master key is ${newId}. The old one, ${oldId}, opens it until the rotation ends.`,
    )
    note(escapeLine(nextStep(config.vault, hasEnded)))
    if (damaged.length > 0)
      throw new OperatorError(
        `No key opens these stored secrets, which were damaged before the rotation: ${damagedText(damaged)}.`,
      )
  })
}

const nextStep = (vault: ReturnType<typeof readConfig>['vault'], hasEnded: boolean): string => {
  if (vault.kind === 'file')
    return `Back up ${vault.file}. If servers on other machines have a copy of it, replace those before they are started again.`
  return hasEnded
    ? 'Set SVC_MASTER_KEY to the new key for all servers, before they are started again.'
    : 'To end the rotation, set SVC_MASTER_KEY to the new key for all servers, and restart them.'
}

const shownRows = 10

function damagedText(rows: readonly { readonly table: string; readonly id: number }[]): string {
  const shown = rows.slice(0, shownRows).map(({ table, id }) => `${table} ${id}`)
  const more = rows.length - shown.length
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join(', ')
}

import { Command } from 'commander'
import { databaseSettings, loadSetupCodeCommand, readDatabaseConfig } from '@svc/server'
import { note, printSecret } from './output.js'
import { addSettings, sourceOf } from './settings-options.js'

const details = `
While there is no account, /console asks for the code to create the first one. Running servers accept it at once, and none that was printed
before. It is valid until there is an account.`

/** `svc setup-code`: prints a new code for the first account. Works beside running servers. */
export function setupCodeCommand(): Command {
  const command = new Command('setup-code')
    .description('Print a new code, with which the console creates the first account')
    .addHelpText('after', details)
  return addSettings(command, databaseSettings).action(async (options: Record<string, unknown>) => {
    const { replaceSetupCode } = await loadSetupCodeCommand()
    const code = await replaceSetupCode(readDatabaseConfig(sourceOf(options, databaseSettings)))
    note('Enter this code at /console of the server to create the first account:')
    await printSecret(`${code}\n`)
  })
}

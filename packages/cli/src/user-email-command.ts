import { Command } from 'commander'
import { databaseSettings, loadUserEmailCommand, readDatabaseConfig } from '@svc/server'
import { note } from './output.js'
import { addSettings, sourceOf } from './settings-options.js'

/** `svc user email`: changes the email of an account. */
export function emailCommand(): Command {
  const command = new Command('email')
    .description('Change the email of an account; its password, sessions and tokens stay valid')
    .argument('<old>')
    .argument('<new>')
  return addSettings(command, databaseSettings).action(
    async (from: string, to: string, options: Record<string, unknown>) => {
      const { changeEmail } = await loadUserEmailCommand()
      const { email } = await changeEmail(readDatabaseConfig(sourceOf(options, databaseSettings)), from, to)
      note(`The account signs in as ${email} now. Its password, sessions and tokens stay valid.`)
    },
  )
}

import { Command } from 'commander'
import { deletionSettings, loadUserDeleteCommand, readConfig } from '@svc/server'
import { confirm, yesOption } from './confirm.js'
import { note } from './output.js'
import { addSettings, sourceOf } from './settings-options.js'

interface DeleteOptions extends Record<string, unknown> {
  yes?: boolean
}

const details = `
Deletes everything of the account: its zones, files, sites, packages, deployments, messages, credentials and domains. First it ends
all sessions and tokens. Works beside a running server. After an interruption, a server or the same command deletes the rest.`

/** `svc user delete`: deletes an account with everything that it has. */
export function deleteCommand(): Command {
  const command = new Command('delete')
    .description('Delete an account with everything that it has')
    .argument('<email>')
    .option(...yesOption)
    .addHelpText('after', details)
  return addSettings(command, deletionSettings).action(
    async (email: string, { yes = false, ...options }: DeleteOptions) => {
      const config = readConfig(sourceOf(options, deletionSettings))
      const { deleteUser } = await loadUserDeleteCommand()
      const { account, notes } = await deleteUser(config, email, {
        confirm: async (found, rows) => {
          note(`The account ${found.email} has${rows.size === 0 ? ' nothing.' : ':'}`)
          for (const [table, count] of rows) note(`${String(count).padStart(9)} ${table}`)
          await confirm(found.email, yes)
        },
      })
      for (const text of notes) note(text)
      note(`The account ${account.email} is deleted, with everything that it had.`)
    },
  )
}

import { Command } from 'commander'
import { loadMailCommand, mailServerSettings, readConfig } from '@svc/server'
import { note } from './output.js'
import { addSettings, sourceOf } from './settings-options.js'

/** `svc mail …`: the operator's commands for e-mails. */
export function mailCommand(): Command {
  return new Command('mail').description('Test the mail server').addCommand(testCommand())
}

function testCommand(): Command {
  const command = new Command('test')
    .description('Send a test e-mail to an address, with the settings of the server')
    .argument('<address>')
  return addSettings(command, mailServerSettings).action(async (address: string, options: Record<string, unknown>) => {
    const { sendTestMail } = await loadMailCommand()
    const to = await sendTestMail(readConfig(sourceOf(options, mailServerSettings)), address)
    note(`The mail server has taken the test e-mail to ${to}.`)
  })
}

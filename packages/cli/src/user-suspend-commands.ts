import { Command } from 'commander'
import { loadUserSuspendCommands, readConfig, zoneSettings } from '@svc/server'
import { note } from './output.js'
import { addSettings, sourceOf } from './settings-options.js'

const suspendDetails = `
Tokens and browser sessions are refused from their next request on, in every process. The account keeps everything, also its claims on
zones. Its zones, sites, links and downloads are still served, unless --all is given. svc user resume ends the suspension.`

/** `svc user suspend`: refuses all requests of an account. */
export function suspendCommand(): Command {
  const command = new Command('suspend')
    .description('Refuse all requests of an account, until svc user resume')
    .argument('<email>')
    .option('--all', 'also stop serving its zones, sites, links and downloads')
    .addHelpText('after', suspendDetails)
  return addSettings(command, zoneSettings).action(
    async (email: string, { all = false, ...options }: Record<string, unknown>) => {
      const { suspendUser } = await loadUserSuspendCommands()
      const account = await suspendUser(readConfig(sourceOf(options, zoneSettings)), email, all === true)
      const served = all === true ? 'are not served any more' : 'are still served'
      note(`The account ${account.email} is suspended. Its zones, sites, links and downloads ${served}.`)
    },
  )
}

/** `svc user resume`: ends a suspension. */
export function resumeCommand(): Command {
  const command = new Command('resume')
    .description('End the suspension of an account: its tokens and sessions work again')
    .argument('<email>')
  return addSettings(command, zoneSettings).action(async (email: string, options: Record<string, unknown>) => {
    const { resumeUser } = await loadUserSuspendCommands()
    const account = await resumeUser(readConfig(sourceOf(options, zoneSettings)), email)
    note(`The account ${account.email} is active.`)
  })
}

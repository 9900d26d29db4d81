import { Command } from 'commander'
import { escapeLine, loadUserShowCommand, readConfig, usageSettings } from '@svc/server'
import { print, printJson } from './output.js'
import { addSettings, sourceOf } from './settings-options.js'

interface ShowOptions extends Record<string, unknown> {
  json?: boolean
}

/** `svc user show`: an account, with what it has and uses. */
export function showCommand(): Command {
  const command = new Command('show')
    .description('Show an account: last use, storage, zones, and its rows in each table of the database')
    .argument('<email>')
    .option('--json', 'print JSON')
  return addSettings(command, usageSettings).action(
    async (email: string, { json = false, ...options }: ShowOptions) => {
      const { showUser } = await loadUserShowCommand()
      const user = await showUser(readConfig(sourceOf(options, usageSettings)), email)
      if (json) {
        printJson(user)
        return
      }
      const line = (name: string, value: string | number) => {
        print(escapeLine(`${name.padEnd(19)} ${value}`))
      }
      line('id', user.id)
      line('email', user.email)
      line('nickname', user.nickname)
      line('created', user.created_at)
      line('state', user.state)
      line('plan', user.plan ?? '-')
      for (const [name, limit] of Object.entries(user.limits)) line(`limit of ${name}`, limit)
      line('last used', user.last_used_at ?? 'never')
      for (const [area, { bytes, max }] of Object.entries(user.storage))
        line(`bytes of ${area}`, `${bytes} of ${max ?? 'unlimited'}`)
      for (const { zone, status, records } of user.zones) line('zone', `${zone} ${status}, records: ${records}`)
      for (const [table, rows] of Object.entries(user.rows)) line(`rows of ${table}`, rows)
    },
  )
}

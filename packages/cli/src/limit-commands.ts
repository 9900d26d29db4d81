import { Command } from 'commander'
import { databaseSettings, loadUserLimitCommands, readDatabaseConfig } from '@svc/server'
import { note, print, printJson, printTable } from './output.js'
import { addSettings, sourceOf } from './settings-options.js'

interface LimitOptions extends Record<string, unknown> {
  plan?: string
  json?: boolean
}

const limitDetails = `
Without limits and without --plan, it shows those of the account. A limit is RESOURCE=NUMBER. The resources are those of the settings
SVC_..._MAX in lower case, without SVC_, DNS_ and _MAX: zones, records, files, files_bytes, sites and so on. A size such as files=10GB is
the limit of the bytes. RESOURCE=default removes a limit: then that of the plan applies, or that of the setting. A limit below what the
account has keeps everything, and refuses more.`

const databaseOf = (options: Record<string, unknown>) => readDatabaseConfig(sourceOf(options, databaseSettings))

const textOf = (limits: object): string =>
  Object.entries(limits)
    .map(([name, limit]) => `${name}=${String(limit)}`)
    .join(' ')

/** `svc user limit`: limits of one account. */
export function limitCommand(): Command {
  const command = new Command('limit')
    .description('Show or change the limits of an account')
    .argument('<email>')
    .argument('[limits...]', 'such as zones=50 files=10GB sites=default')
    .option('--plan <name>', 'the plan of the account; none for no plan')
    .option('--json', 'print JSON')
    .addHelpText('after', limitDetails)
  return addSettings(command, databaseSettings).action(
    async (email: string, limits: string[], { plan, json = false, ...options }: LimitOptions) => {
      const { limitUser } = await loadUserLimitCommands()
      const shown = await limitUser(databaseOf(options), email, limits, plan)
      if (json) {
        printJson(shown)
        return
      }
      print(`plan    ${shown.plan ?? '-'}`)
      for (const [name, limit] of Object.entries(shown.limits))
        print(`${name}=${String(limit)}${name in shown.own ? '' : ' (of the plan)'}`)
      if (Object.keys(shown.limits).length === 0) note('The settings of the server apply.')
    },
  )
}

/** `svc plan …`: named sets of limits. */
export const planCommand = (): Command =>
  new Command('plan')
    .description('Create, list and delete plans: limits that many accounts share')
    .addCommand(setCommand())
    .addCommand(listCommand())
    .addCommand(deleteCommand())

function setCommand(): Command {
  const command = new Command('set')
    .description('Create a plan, or change limits of one, for all its accounts')
    .argument('<name>', 'lower-case letters, digits and hyphens')
    .argument('[limits...]', 'such as zones=50 files=10GB sites=default')
  return addSettings(command, databaseSettings).action(
    async (name: string, limits: string[], options: Record<string, unknown>) => {
      const { setPlan } = await loadUserLimitCommands()
      const set = await setPlan(databaseOf(options), name, limits)
      note(`The plan ${name} has the limits ${textOf(set) || 'of the settings'}.`)
    },
  )
}

function listCommand(): Command {
  const command = new Command('list').description('List all plans').option('--json', 'print JSON')
  return addSettings(command, databaseSettings).action(async ({ json = false, ...options }: LimitOptions) => {
    const { listPlans } = await loadUserLimitCommands()
    const plans = await listPlans(databaseOf(options))
    if (json) printJson(plans)
    else if (plans.length === 0) note('No plans yet; svc plan set creates one.')
    else
      await printTable(
        ['plan', 'accounts', 'limits'],
        plans.map(({ name, accounts, limits }) => [name, String(accounts), textOf(limits)]),
      )
  })
}

function deleteCommand(): Command {
  const command = new Command('delete').description('Delete a plan that no account has').argument('<name>')
  return addSettings(command, databaseSettings).action(async (name: string, options: Record<string, unknown>) => {
    const { deletePlan } = await loadUserLimitCommands()
    await deletePlan(databaseOf(options), name)
    note(`The plan ${name} is deleted.`)
  })
}

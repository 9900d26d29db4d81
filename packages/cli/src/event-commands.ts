import { Command, Option } from 'commander'
import {
  databaseSettings,
  loadEventCommands,
  OperatorError,
  readDatabaseConfig,
  type ListedEvent,
  type OperatorEvent,
} from '@svc/server'
import { csvText } from './csv.js'
import { note, printContent, printJson, printTable } from './output.js'
import { addSettings, sourceOf } from './settings-options.js'

/** `svc account events` and `svc events`: what was done in an account, and by the operator's commands. */

const limitDefault = '50'

interface ListOptions extends Record<string, unknown> {
  limit: string
  json?: true
  csv?: true
}

const addListOptions = (command: Command): Command =>
  command
    .addOption(new Option('--limit <events>', 'at most 100000').default(limitDefault))
    .option('--json', 'print JSON')
    .addOption(new Option('--csv', 'print comma-separated values').conflicts('json'))

async function limitOf(text: string): Promise<number> {
  const { eventsMax } = await loadEventCommands()
  if (/^[1-9]\d{0,9}$/.test(text)) return Math.min(Number(text), eventsMax)
  throw new OperatorError(`--limit must be a whole number, not ${text}.`, 2)
}

/** How a list is printed. */
async function printEvents<E>(
  { json, csv }: Pick<ListOptions, 'json' | 'csv'>,
  events: readonly E[],
  head: readonly string[],
  cells: (event: E) => readonly string[],
): Promise<void> {
  if (json) printJson(events)
  else if (csv) await printContent([csvText(head, events.map(cells))])
  else await printTable(head, events.map(cells))
}

type Fields = ListedEvent['before']

function valueText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.join(' ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Such as `paused: false → true`. */
function changeText(before: Fields, after: Fields): string {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])
  return Array.from(names, (name) => {
    const [from, to] = [valueText(before?.[name]), valueText(after?.[name])]
    return from === '' ? `${name}: ${to}` : `${name}: ${from} → ${to}`
  }).join('; ')
}

const eventHead = ['time', 'area', 'action', 'object', 'by', 'network', 'change']

const eventCells = ({ at, area, action, object, actor, network, before, after }: ListedEvent): readonly string[] => [
  at,
  area,
  action,
  object,
  actor.id === null ? actor.name : `${actor.kind} ${actor.name} (${actor.id})`,
  network ?? '',
  changeText(before, after),
]

interface AccountEventOptions extends ListOptions {
  area?: string
  object?: string
  token?: string
}

/** `svc account events` */
export function accountEventsCommand(): Command {
  const command = new Command('events')
    .description('List what was done in an account, newest first')
    .argument('<email>')
    .option('--area <area>', 'only events of this area, such as dns')
    .option('--object <name>', 'only events of this thing, such as a zone')
    .option('--token <token>', 'only events of this token: its id, or its name while it exists')
  return addSettings(addListOptions(command), databaseSettings).action(
    async (email: string, { limit, json, csv, area, object, token, ...options }: AccountEventOptions) => {
      const { accountEvents } = await loadEventCommands()
      const config = readDatabaseConfig(sourceOf(options, databaseSettings))
      const { events, total } = await accountEvents(config, email, { area, object, token }, await limitOf(limit))
      await printEvents({ ...(json && { json }), ...(csv && { csv }) }, events, eventHead, eventCells)
      note(`${events.length} of ${total} events.`)
    },
  )
}

const operatorHead = ['time', 'command', 'object', 'account', 'by', 'change']

const operatorCells = ({ at, command, object, account, by, before, after }: OperatorEvent): readonly string[] => [
  at,
  command,
  object,
  account ?? '',
  by,
  changeText(before, after),
]

const operatorDetails = `
Each command that changes something writes an event with the user of the operating system, or the one who has called sudo.
Secrets and passphrases are in none. svc account events EMAIL lists what was done in one account.`

/** `svc events` */
export function eventsCommand(): Command {
  const command = new Command('events')
    .description("List what the operator's commands have changed, newest first")
    .addHelpText('after', operatorDetails)
  return addSettings(addListOptions(command), databaseSettings).action(
    async ({ limit, json, csv, ...options }: ListOptions) => {
      const { operatorEvents } = await loadEventCommands()
      const config = readDatabaseConfig(sourceOf(options, databaseSettings))
      const events = await operatorEvents(config, await limitOf(limit))
      await printEvents({ ...(json && { json }), ...(csv && { csv }) }, events, operatorHead, operatorCells)
    },
  )
}

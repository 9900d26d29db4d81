import { Command, Option } from 'commander'
import {
  databaseSettings,
  loadDnsHistoryCommands,
  OperatorError,
  readConfig,
  readDatabaseConfig,
  zoneSettings,
} from '@svc/server'
import { note, print, printTable } from './output.js'
import { addSettings, sourceOf } from './settings-options.js'

/** `svc dns history` and `svc dns revert`: the changes of a zone, and the way back. They work beside a running server. */

const limitDefault = '20'

/** A whole number of at most ten digits, as serials have. */
function wholeNumber(text: string, name: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text)
  throw new OperatorError(`${name} must be a whole number, not ${text}.`, 2)
}

interface HistoryOptions extends Record<string, unknown> {
  limit: string
}

export function historyCommand(): Command {
  const command = new Command('history')
    .description('List the changes of a zone, newest first: what was removed and added, and by whom')
    .argument('<zone>')
    .addOption(new Option('--limit <changes>', 'at most 1000').default(limitDefault))
  return addSettings(command, databaseSettings).action(async (zone: string, { limit, ...options }: HistoryOptions) => {
    const { zoneHistory } = await loadDnsHistoryCommands()
    const config = readDatabaseConfig(sourceOf(options, databaseSettings))
    const { changes, total, ...of } = await zoneHistory(config, zone, Math.min(wholeNumber(limit, '--limit'), 1000))
    await printTable(
      ['serial', 'time', 'by', 'change'],
      changes.flatMap(({ serial, at, actor, lines }) =>
        (lines.length === 0 ? ['no values'] : lines).map((line, i) =>
          i === 0 ? [String(serial), at, actor, line] : ['', '', '', line],
        ),
      ),
    )
    note(`${of.zone} of ${of.account}: ${changes.length} of ${total} changes.`)
  })
}

interface RevertOptions extends Record<string, unknown> {
  to?: true
  dryRun?: true
}

export function revertCommand(): Command {
  const command = new Command('revert')
    .description('Take back one change of a zone; svc dns history lists them')
    .argument('<zone>')
    .argument('<serial>', 'the serial of the change')
    .option('--to', 'make the whole zone what it was at this serial')
    .option('--dry-run', 'print what would change, and change nothing')
  return addSettings(command, zoneSettings).action(async (zone: string, given: string, options: RevertOptions) => {
    const { revertZone } = await loadDnsHistoryCommands()
    const { to = false, dryRun = false, ...settings } = options
    const serial = wholeNumber(given, 'The serial')
    const config = readConfig(sourceOf(settings, zoneSettings))
    const done = await revertZone(config, zone, to ? { to: serial } : { serial }, dryRun)
    for (const line of done.lines) print(line)
    if (done.lines.length === 0) note(`${done.zone} of ${done.account} is so already: nothing was changed.`)
    else if (dryRun) note(`This would change ${done.zone} of ${done.account}. Nothing was changed.`)
    else note(`${done.zone} of ${done.account} has the serial ${done.serial} now; svc dns revert takes that back too.`)
  })
}

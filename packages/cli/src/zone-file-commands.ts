import { Command } from 'commander'
import { loadZoneFileCommands, OperatorError, readConfig, zoneSettings } from '@svc/server'
import { readInput } from './input.js'
import { note, print, printText } from './output.js'
import { addSettings, sourceOf } from './settings-options.js'

/** `svc dns export` and `svc dns import`: zone files (RFC 1035, section 5). They work beside a running server. */

const configOf = (options: Record<string, unknown>) => readConfig(sourceOf(options, zoneSettings))

interface ExportOptions extends Record<string, unknown> {
  output?: string
}

export function exportCommand(): Command {
  const command = new Command('export')
    .description('Print a zone as a BIND zone file, with its SOA and NS records')
    .argument('<zone>')
    .option('--output <file>', 'write to a file instead of stdout')
  return addSettings(command, zoneSettings).action(async (zone: string, options: ExportOptions) => {
    const { exportZone, saveZoneFile } = await loadZoneFileCommands()
    const text = await exportZone(configOf(options), zone)
    if (options.output === undefined) printText(text)
    else await onFile(options.output, (file) => saveZoneFile(file, text))
  })
}

interface ImportOptions extends Record<string, unknown> {
  account?: string
  replace?: true
  dryRun?: true
}

export function importCommand(): Command {
  const command = new Command('import')
    .description('Import a BIND zone file into a verified zone: all records or none; invalid lines are listed')
    .argument('<zone>')
    .argument('[file]', 'the zone file; - for stdin', '-')
    .option('--account <email>', 'import only if this account has verified the zone')
    .option('--replace', 'delete records that are not in the file')
    .option('--dry-run', 'print the changes, and change nothing')
  return addSettings(command, zoneSettings).action(async (zone: string, path: string, options: ImportOptions) => {
    const config = configOf(options)
    const { importZone, zoneFileMaxBytes } = await loadZoneFileCommands()
    const file = await onFile(path, (name) => readInput(name, zoneFileMaxBytes))
    if (file === undefined)
      throw new OperatorError(`The file is larger than ${zoneFileMaxBytes / 2 ** 20} MiB. Nothing was imported.`)
    const dryRun = options.dryRun === true
    const done = await importZone(config, {
      zone,
      file,
      dryRun,
      email: options.account,
      replace: options.replace === true,
      onNotes: note,
    })
    const { created, ttlChanged, deleted } = done
    if (dryRun)
      for (const line of [...marked('-', deleted), ...marked('+', created), ...marked('~', ttlChanged)]) print(line)
    const counts = `${created.length} created, ${ttlChanged.length} with a new ttl, ${deleted.length} deleted`
    if (dryRun)
      note(`${done.zone} of ${done.account} would have ${done.records} records: ${counts}. Nothing was changed.`)
    else note(`${done.zone} of ${done.account} has ${done.records} records: ${counts}. Its serial is ${done.serial}.`)
  })
}

const marked = (mark: string, lines: readonly string[]): string[] => lines.map((line) => `${mark} ${line}`)

async function onFile<R>(file: string, act: (file: string) => Promise<R>): Promise<R> {
  try {
    return await act(file)
  } catch (error) {
    throw new OperatorError((error as NodeJS.ErrnoException).message, 1, { cause: error })
  }
}

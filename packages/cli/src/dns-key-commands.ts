import { Command } from 'commander'
import { databaseSettings, keySettings, loadDnsKeyCommands, readConfig, readDatabaseConfig } from '@svc/server'
import { note, printJson, printTable } from './output.js'
import { addSettings, sourceOf } from './settings-options.js'
import { algorithmOption, printKey } from './tsig-output.js'

/** `svc dns key …`: keys with which other nameservers fetch the zones. They work beside a running server. */
export function dnsKeyCommand(): Command {
  return new Command('key')
    .description('Create, list and remove keys with which other nameservers transfer the zones')
    .addCommand(addCommand())
    .addCommand(listCommand())
    .addCommand(removeCommand())
}

interface AddOptions extends Record<string, unknown> {
  algorithm?: string
  json?: true
}

function addCommand(): Command {
  const command = new Command('add')
    .description('Create a key that may transfer every zone and the catalog, and print it once; it may not update')
    .argument('<name>', 'name of the key in DNS, such as ns2 or ns2.example.net')
    .addOption(algorithmOption())
    .option('--json', 'print JSON')
  return addSettings(command, keySettings).action(async (name: string, options: AddOptions) => {
    const { addDnsKey } = await loadDnsKeyCommands()
    const config = readConfig(sourceOf(options, keySettings))
    await addDnsKey(config, { name, algorithm: options.algorithm }, async (key) => {
      if (!options.json) note(`Created the key ${key.name}. Its secret is shown only once:`)
      await printKey(key, options.json)
    })
  })
}

function listCommand(): Command {
  const command = new Command('list').description('List the keys, without their secrets').option('--json', 'print JSON')
  return addSettings(command, databaseSettings).action(async (options: Record<string, unknown>) => {
    const { listDnsKeys } = await loadDnsKeyCommands()
    const keys = await listDnsKeys(readDatabaseConfig(sourceOf(options, databaseSettings)))
    const shown = keys.map(({ name, algorithm, createdAt }) => ({
      name,
      algorithm,
      created_at: new Date(createdAt).toISOString(),
    }))
    if (options['json'] === true) printJson(shown)
    else if (shown.length === 0) note('No keys yet; svc dns key add creates one.')
    else
      await printTable(
        ['name', 'algorithm', 'created'],
        shown.map(({ name, algorithm, created_at }) => [name, algorithm, created_at]),
      )
  })
}

function removeCommand(): Command {
  const command = new Command('remove')
    .description('Remove a key: the next message that is signed with it is refused')
    .argument('<name>')
  return addSettings(command, databaseSettings).action(async (name: string, options: Record<string, unknown>) => {
    const { removeDnsKey } = await loadDnsKeyCommands()
    const removed = await removeDnsKey(readDatabaseConfig(sourceOf(options, databaseSettings)), name)
    note(`Removed the key ${removed}.`)
  })
}

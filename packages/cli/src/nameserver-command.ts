import { Command } from 'commander'
import { loadNameserver, nameserverSettings, readNameserverConfig } from '@svc/server'
import { addSettings, sourceOf } from './settings-options.js'

const notes = `
A second nameserver for the zones of an svc elsewhere: it follows the catalog of the primary, keeps copies of the zones in the data
directory, and serves them without a database, also while the primary is away. Make its key on the primary with svc dns key add.
A flag overrides the environment variable, which overrides .env in the working directory.`

/** `svc nameserver`: serves copies of the zones of another svc until it is stopped. */
export function nameserverCommand(): Command {
  const command = new Command('nameserver')
    .description('Run a second nameserver for the zones of an svc on another machine')
    .addHelpText('after', notes)
  return addSettings(command, nameserverSettings).action(async (options: Record<string, unknown>) => {
    const config = readNameserverConfig(sourceOf(options, nameserverSettings))
    const { runNameserver } = await loadNameserver()
    await runNameserver(config)
  })
}

import { Command } from 'commander'
import { allSettings, loadServer, readConfig, unknownVariables } from '@svc/server'
import { addSettings, sourceOf } from './settings-options.js'

const precedence = `
A flag overrides the environment variable, which overrides .env in the working directory. An empty value counts as unset.
SIGTERM or Ctrl-C stops after the running requests, within 10 seconds; a second one stops at once. Closing the
terminal stops too; without a terminal, SIGHUP changes nothing.`

/** `svc serve`: runs the server until it is stopped. */
export function serveCommand(): Command {
  const command = new Command('serve').description('Run the server').addHelpText('after', precedence)
  return addSettings(command, allSettings).action(async (options: Record<string, unknown>) => {
    const config = readConfig(sourceOf(options, allSettings))
    const { serve } = await loadServer()
    await serve(config, unknownVariables(process.env))
  })
}

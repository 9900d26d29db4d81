import { createReadStream } from 'node:fs'
import { Command } from 'commander'
import { edgeSettings, loadEdgeIngestCommand, OperatorError, readConfig } from '@svc/server'
import { note } from './output.js'
import { addSettings, sourceOf } from './settings-options.js'

/** `svc edge …`: the operator's commands for the cache in front of svc. */
export function edgeCommand(): Command {
  return new Command('edge').description('Count the requests that Varnish answers').addCommand(ingestCommand())
}

const details = String.raw`
The log has one line for each request, with fields that tabs separate:
  varnishncsa -q 'ReqURL ~ "^/s/"' -F '%m\t%{Host}i\t%U\t%s\t%b\t%{Varnish:hitmiss}x' | svc edge ingest

Counts are saved every second, beside a running server. Runs until the log ends, or until SIGTERM.
Each log must be read once: requests that are read again are counted again.`

function ingestCommand(): Command {
  const command = new Command('ingest')
    .description('Add the requests in the log of Varnish to the counts of shared files')
    .argument('[file]', 'the log; - for stdin', '-')
    .addHelpText('after', details)
  return addSettings(command, edgeSettings).action(async (file: string, options: Record<string, unknown>) => {
    const config = readConfig(sourceOf(options, edgeSettings))
    const { ingestEdgeLog } = await loadEdgeIngestCommand()
    const log = file === '-' ? process.stdin : createReadStream(file)
    const { counted, unknown, other, malformed } = await ingestEdgeLog(config, log).catch(explainFileFailure)
    note(
      `Counted ${counted} requests for share links. Skipped ${unknown} for links that do not exist, ${other} other requests, ${malformed} malformed lines.`,
    )
  })
}

/** @throws OperatorError for an error of the file */
function explainFileFailure(error: unknown): never {
  const { syscall, message } = error as NodeJS.ErrnoException
  if (syscall === 'open' || syscall === 'read') throw new OperatorError(message, 1, { cause: error })
  throw error
}

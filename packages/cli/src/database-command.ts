import { Command } from 'commander'
import {
  allSettings,
  escapeLine,
  databaseSettings,
  loadMoveCommand,
  maskPasswords,
  readConfig,
  readDatabaseConfig,
} from '@svc/server'
import { startCountsLine } from './counts-line.js'
import { note } from './output.js'
import { addSettings, sourceOf } from './settings-options.js'
import { interruptible } from './transfer/before-signal.js'

/** `svc database …`: the database as a whole. */
export function databaseCommand(): Command {
  return new Command('database')
    .description('Move to another database')
    .addCommand(moveCommand())
    .addCommand(reopenCommand())
}

const details = `
Run it with the settings of the server, with all servers stopped. Copies every row, and compares the rows in both databases. The old
database keeps its rows, but no server starts with it any more, until svc database reopen. If the command is interrupted, run it again:
it continues. The password of the new database may be in PGPASSWORD instead of the URL.`

interface MoveOptions extends Record<string, unknown> {
  to: string
}

function moveCommand(): Command {
  const command = new Command('move')
    .description('Copy all rows to another database')
    .requiredOption(
      '--to <url>',
      'the new database, which must be empty: postgres://user:password@host/database or sqlite:file',
    )
    .addHelpText('after', details)
  return addSettings(command, allSettings).action(async (options: MoveOptions) => {
    const config = readConfig(sourceOf(options, allSettings))
    const { moveDatabase, parseTarget } = await loadMoveCommand()
    const target = parseTarget(options.to)
    const line = await startCountsLine()
    try {
      const result = await interruptible((signal) =>
        moveDatabase(config.database, target, {
          signal,
          onProgress: ({ table, rows }) => line.show(`${rows} rows, ${table}`),
        }),
      )
      line.stop()
      const { rows, tables, resumedRows } = result
      const resumed = resumedRows > 0 ? `, ${resumedRows} of them before an interruption` : ''
      note(`Moved ${rows} rows of ${tables} tables${resumed}. Both databases have the same rows.`)
      note(
        escapeLine(
          `Set SVC_DATABASE=${maskPasswords(options.to)} and start the server. The old database keeps its rows; no server starts with it.`,
        ),
      )
      if (target.kind === 'postgres' && config.blobs.kind === 'disk')
        note(
          escapeLine(
            `The files stay in ${config.blobs.folder}. Servers on several machines need a shared store: set SVC_BLOBS to a bucket.`,
          ),
        )
    } finally {
      line.stop()
    }
  })
}

const reopenDetails = `
Run it with the settings of the old database. What was changed in the new database since the move stays there.`

function reopenCommand(): Command {
  const command = new Command('reopen')
    .description('Use the old database of a move again')
    .addHelpText('after', reopenDetails)
  return addSettings(command, databaseSettings).action(async (options: Record<string, unknown>) => {
    const { reopenDatabase } = await loadMoveCommand()
    await reopenDatabase(readDatabaseConfig(sourceOf(options, databaseSettings)))
    note('Servers can use this database again.')
  })
}

import { Command } from 'commander'
import { allSettings, counted, escapeLine, loadRestoreCommand, readConfig } from '@svc/server'
import { progressText } from './backup-command.js'
import { startCountsLine } from './counts-line.js'
import { note } from './output.js'
import { addSettings, sourceOf } from './settings-options.js'
import { interruptible } from './transfer/before-signal.js'
import { bytesText } from './transfer/quantities.js'

const details = `
Run it with the settings of the server, with the server stopped. The database must be empty, or missing. The archive may be one of an
older version of svc, and one of the other kind of database.
With SQLite, nothing has changed until all rows are restored and checked. If the command is interrupted, run it again: objects
that are stored already are compared with the archive, and kept if they have the same bytes. As root, it gives new files to the owner of the data directory.`

/** `svc restore FILE`: fills an empty installation from a backup. */
export function restoreCommand(): Command {
  const command = new Command('restore')
    .description('Fill an empty database and the store of objects from a backup')
    .argument('<file>', 'the archive of svc backup; - for stdin')
    .addHelpText('after', details)
  return addSettings(command, allSettings).action(async (file: string, options: Record<string, unknown>) => {
    const config = readConfig(sourceOf(options, allSettings))
    const { restore } = await loadRestoreCommand()
    const line = await startCountsLine()
    try {
      const result = await interruptible((signal) =>
        restore(config, file, { signal, onProgress: (progress) => line.show(progressText(progress)) }),
      )
      line.stop()
      const { rows, objects, bytes, createdAt, nextSteps } = result
      note(
        escapeLine(
          `Restored the backup of ${createdAt}: ${counted(rows, 'row')}, ${counted(objects, 'object')} (${bytesText(bytes)}).`,
        ),
      )
      for (const step of nextSteps) note(escapeLine(step))
    } finally {
      line.stop()
    }
  })
}

import { rmSync } from 'node:fs'
import { Command } from 'commander'
import {
  allSettings,
  counted,
  escapeLine,
  loadBackupCommand,
  OperatorError,
  readConfig,
  type Progress,
} from '@svc/server'
import { startCountsLine } from './counts-line.js'
import { note, stdoutForBytes } from './output.js'
import { addSettings, sourceOf } from './settings-options.js'
import { beforeSignal } from './transfer/before-signal.js'
import { bytesText, durationText } from './transfer/quantities.js'

const details = `
Works beside a running server. Run it with the settings of the server. The archive is a tar file with all rows of the database and all
stored objects, of one moment. It has its name when it is whole; an existing file is not replaced.
Without --with-master-key, keep a copy of the master key at another place: the stored secrets cannot be read without it.
Exit code 1 if stored objects are missing: the archive has all others, and svc doctor lists the missing ones.`

interface BackupOptions extends Record<string, unknown> {
  withMasterKey?: true
}

/** `svc backup FILE`: one file with all that an installation stores. */
export function backupCommand(): Command {
  const command = new Command('backup')
    .description('Write the database and the stored objects to a file')
    .argument('<file>', 'the archive to make; - for stdout')
    .option('--with-master-key', 'include the master key: who has the archive can then read the stored secrets')
    .addHelpText('after', details)
  return addSettings(command, allSettings).action(async (file: string, options: BackupOptions) => {
    const config = readConfig(sourceOf(options, allSettings))
    const output = file === '-' ? stdoutForBytes() : file
    const { backup } = await loadBackupCommand()
    const line = await startCountsLine()
    const startedAt = performance.now()
    let forgetTemporary = (): void => undefined
    const onTemporary = (temporary: string) => {
      forgetTemporary = beforeSignal(() => rmSync(temporary, { force: true }))
    }
    try {
      const withMasterKey = options.withMasterKey === true
      const onProgress = (progress: Progress) => line.show(progressText(progress))
      const result = await backup(config, output, { withMasterKey, onProgress, onTemporary })
      line.stop()
      const { size, rows, objects, masterKeyId, lost } = result
      if (masterKeyId !== undefined && !withMasterKey) note(escapeLine(keyNote(config.vault, masterKeyId)))
      const took = durationText((performance.now() - startedAt) / 1000)
      const name = file === '-' ? 'stdout' : file
      note(
        escapeLine(`${name}: ${bytesText(size)}, ${counted(rows, 'row')}, ${counted(objects, 'object')}, in ${took}.`),
      )
      if (lost.count > 0) throw new OperatorError(lostText(lost))
    } finally {
      forgetTemporary()
      line.stop()
    }
  })
}

export const progressText = ({ objects, bytes, rows }: Progress): string =>
  `${counted(objects, 'object')} (${bytesText(bytes)}), ${counted(rows, 'row')}`

const keyNote = (vault: ReturnType<typeof readConfig>['vault'], id: string): string =>
  `The archive does not have the master key ${id}, which opens the stored secrets: keep a copy of ${
    vault.kind === 'file' ? vault.file : 'SVC_MASTER_KEY'
  } at another place.`

function lostText({ count, first }: { count: number; first: readonly { key: string; problem: string }[] }): string {
  const example = first[0] === undefined ? '' : ` (${first[0].key}: ${first[0].problem.replace(/\.$/, '')})`
  return `${counted(count, 'stored object')} ${count === 1 ? 'is' : 'are'} not in the archive${example}: run svc doctor, which lists what is missing.`
}

import { Command } from 'commander'
import { allSettings, escapeLine, loadDoctorCommand, OperatorError, readConfig } from '@svc/server'
import { diagnosisToJson, reportOf } from './doctor-report.js'
import { note, print, printJson } from './output.js'
import { addSettings, sourceOf } from './settings-options.js'

const details = `
Changes nothing, and works beside a running server. Run it with the settings of the server.
Exit code: 0 if all is well, 1 if something is wrong. Objects that the server will remove are not wrong.`

/** `svc doctor`: finds lost bytes, orphans, and settings that do not work together. */
export function doctorCommand(): Command {
  const command = new Command('doctor')
    .description('Compare the stored files and the master key with the database, and the settings with each other')
    .option('--json', 'print JSON')
    .addHelpText('after', details)
  return addSettings(command, allSettings).action(async (options: Record<string, unknown>) => {
    const config = readConfig(sourceOf(options, allSettings))
    const { diagnose } = await loadDoctorCommand()
    const diagnosis = await diagnose(config)
    const { problems, remarks } = reportOf(diagnosis)
    const isWell = problems.length === 0
    if (options['json'] === true) printJson(diagnosisToJson(diagnosis, isWell))
    else for (const line of [...remarks, ...problems].flat()) print(escapeLine(line))
    if (!isWell) throw new OperatorError('Something is wrong: svc doctor has found problems.')
    note('All is well.')
  })
}

import { Command } from 'commander'
import { allSettings, escapeLine, loadDoctorCommand, OperatorError, readConfig, type Finding } from '@svc/server'
import { findingLines, storedFilesToJson, summaryOf } from './doctor-report.js'
import { isNoteOnTerminal, note, print, printJson } from './output.js'
import { addSettings, sourceOf } from './settings-options.js'

const details = `
Changes nothing, and works beside a running server, also if the database cannot be written. Run it with the settings of the
server, as the user who runs it.
Exit code: 0 without errors, also if there are warnings; 1 with errors.`

interface DoctorOptions extends Record<string, unknown> {
  json?: boolean
  zone?: string
  allZones?: boolean
}

/** The time between two lines of progress. */
const progressMs = 5_000

/** `svc doctor`: checks this installation and its surroundings. */
export function doctorCommand(): Command {
  const command = new Command('doctor')
    .description('Check the settings, the data, the network and the delegation of zones')
    .option('--zone <zone>', 'check the delegation of this zone only')
    .option('--all-zones', 'check the delegation of all verified zones, not only of the first 20')
    .option('--json', 'print JSON')
    .addHelpText('after', details)
  return addSettings(command, allSettings).action(
    async ({ json = false, zone, allZones, ...options }: DoctorOptions) => {
      if (zone !== undefined && allZones === true)
        throw new OperatorError('--zone and --all-zones exclude each other: use one of them.', 2)
      const config = readConfig(sourceOf(options, allSettings))
      const { diagnose, sections } = await loadDoctorCommand()
      const findings: Finding[] = []
      const done = (some: readonly Finding[]) => {
        findings.push(...some)
        if (!json) for (const line of findingLines(some, sections)) print(escapeLine(line))
      }
      const storedFiles = await diagnose(config, { env: process.env, zone, allZones, done, progress: progressNote() })
      const { isWell, text } = summaryOf(findings)
      if (json) printJson({ ok: isWell, findings: findings.map(findingToJson), ...storedFilesToJson(storedFiles) })
      if (!isWell) throw new OperatorError(text)
      note(text)
    },
  )
}

/** Prints progress on a terminal, at most every five seconds. */
function progressNote(): (text: string) => void {
  let next = performance.now() + progressMs
  return (text) => {
    if (!isNoteOnTerminal() || performance.now() < next) return
    next = performance.now() + progressMs
    note(text)
  }
}

const findingToJson = ({ section, status, message, remedy, details = [] }: Finding) => ({
  section,
  status,
  message,
  remedy: remedy ?? null,
  details,
})

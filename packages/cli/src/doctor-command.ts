import { Command } from 'commander'
import {
  allSettings,
  escapeLine,
  loadDoctorCommand,
  loadUpgradeCheck,
  OperatorError,
  readConfig,
  type Config,
  type Finding,
} from '@svc/server'
import { findingLines, storedFilesToJson, summaryOf } from './doctor-report.js'
import { isNoteOnTerminal, note, print, printJson } from './output.js'
import { addSettings, sourceOf } from './settings-options.js'

const details = `
Changes nothing, and works beside a running server, also if the database cannot be written. Run it with the settings of the
server, as the user who runs it.
Exit code: 0 without errors, also if there are warnings; 1 with errors.
--upgrade-check compares the tables of the database with those of this version, and checks nothing else. Exit code: 0 if going back
to the version before keeps all writes; 1 if it needs a backup.`

interface DoctorOptions extends Record<string, unknown> {
  json?: boolean
  zone?: string
  allZones?: boolean
  upgradeCheck?: boolean
}

/** The time between two lines of progress. */
const progressMs = 5_000

/** `svc doctor`: checks this installation and its surroundings. */
export function doctorCommand(): Command {
  const command = new Command('doctor')
    .description('Check the settings, the data, the network and the delegation of zones')
    .option('--zone <zone>', 'check the delegation and serials of this zone only')
    .option('--all-zones', 'check the delegation and serials of all zones, not only of the first 1000')
    .option('--upgrade-check', 'check whether going back to the version before keeps all writes')
    .option('--json', 'print JSON')
    .addHelpText('after', details)
  return addSettings(command, allSettings).action(
    async ({ json = false, zone, allZones, upgradeCheck, ...options }: DoctorOptions) => {
      const chosen = Object.entries({ '--zone': zone, '--all-zones': allZones, '--upgrade-check': upgradeCheck })
        .filter(([, value]) => value !== undefined)
        .map(([flag]) => flag)
      if (chosen.length > 1) throw new OperatorError(`${chosen.join(' and ')} exclude each other: use one of them.`, 2)
      const config = readConfig(sourceOf(options, allSettings))
      if (upgradeCheck === true) return reportUpgrade(config, json)
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

/** @throws OperatorError if going back needs a backup */
async function reportUpgrade(config: Config, json: boolean): Promise<void> {
  const { checkUpgrade } = await loadUpgradeCheck()
  const { keepsWrites, pending, unknown, text } = await checkUpgrade(config)
  if (json) printJson({ keeps_writes: keepsWrites, pending, unknown })
  if (!keepsWrites) throw new OperatorError(text)
  note(text)
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

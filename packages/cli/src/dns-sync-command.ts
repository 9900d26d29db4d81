import { Command } from 'commander'
import { escapeLine, loadDnsSyncCommand, OperatorError, readConfig, zoneSettings, type SyncedZone } from '@svc/server'
import { note, print, printJson } from './output.js'
import { addSettings, sourceOf } from './settings-options.js'

interface SyncOptions extends Record<string, unknown> {
  dryRun?: boolean
  zone?: string
  json?: boolean
}

const details = `
The provider is changed to match the database: missing and different records are set, records that the database does not
have are removed. Zones that only the provider has, and records of types that svc does not manage, are listed and stay
unchanged.`

/** `svc dns sync`: repairs drift between the database and a DNS provider. Works beside a running server. */
export function syncCommand(): Command {
  const command = new Command('sync')
    .description('Find and repair differences between the DNS provider and the database')
    .option('--dry-run', 'print the changes, and change nothing')
    .option('--zone <zone>', 'sync only this zone')
    .option('--json', 'print JSON')
    .addHelpText('after', details)
  return addSettings(command, zoneSettings).action(
    async ({ dryRun = false, json = false, ...options }: SyncOptions) => {
      const config = readConfig(sourceOf(options, zoneSettings))
      const { syncDns } = await loadDnsSyncCommand()
      const zones: SyncedZone[] = []
      const done = (zone: SyncedZone) => {
        zones.push(zone)
        if (!json) for (const line of linesOf(zone, dryRun)) print(line)
      }
      const synced = await syncDns(config, { zone: options.zone, dryRun, done })
      const strangers = synced?.strangers ?? []
      if (json) printJson({ dry_run: dryRun, zones: zones.map(zoneJson), strangers })
      else for (const zone of strangers) print(escapeLine(`${zone}: only the provider has it; left alone`))
      if (synced === undefined) note('The embedded nameserver reads the database: nothing to sync.')
      else note(summary(zones))
      const failed = zones.filter(({ outcome }) => outcome === 'failed').length
      if (failed > 0) throw new OperatorError(`${failed} of ${zones.length} zones could not be synced.`)
    },
  )
}

/** Done, and in a dry run. */
const verbs = {
  add: ['added', 'would add'],
  change: ['changed', 'would change'],
  remove: ['removed', 'would remove'],
  create: ['created', 'would create'],
  configure: ['configured', 'would configure'],
  mark: ['marked', 'would mark'],
} as const

function linesOf(synced: SyncedZone, dryRun: boolean): string[] {
  const { zone, missing, mark, differences, keepsSerial, unmanaged, problem } = synced
  const said = (what: keyof typeof verbs) => verbs[what][dryRun ? 1 : 0]
  return [
    ...(missing ? [`${said('create')} the zone`] : []),
    ...(mark === 'none' ? [`${said('mark')} the zone as this installation's`] : []),
    ...(mark === 'other' ? ['marked by another installation of svc; svc dns adopt takes it over'] : []),
    ...(keepsSerial ? [`${said('configure')} the SOA serial to increase with every change`] : []),
    ...differences.map(({ action, name, type }) => `${said(action)} ${name} ${type}`),
    ...unmanaged.map(({ name, type }) => `left alone ${name} ${type}, of a type that svc does not manage`),
    ...(problem === undefined ? [] : [`failed: ${problem}`]),
  ].map((line) => escapeLine(`${zone}: ${line}`))
}

const zoneJson = ({ zone, outcome, missing, mark, differences, keepsSerial, unmanaged, problem }: SyncedZone) => ({
  zone,
  outcome,
  missing,
  mark,
  differences,
  keeps_serial: keepsSerial,
  unmanaged,
  problem: problem ?? null,
})

function summary(zones: readonly SyncedZone[]): string {
  const count = (outcome: SyncedZone['outcome']) => zones.filter((zone) => zone.outcome === outcome).length
  const parts = [
    `${count('in_sync')} in sync`,
    ...(['repaired', 'drifted', 'failed'] as const)
      .filter((outcome) => count(outcome) > 0)
      .map((outcome) => `${count(outcome)} ${outcome}`),
  ]
  return `${zones.length} ${zones.length === 1 ? 'zone' : 'zones'}: ${parts.join(', ')}.`
}

import { Command } from 'commander'
import { loadDnsAdoptCommand, readConfig, zoneSettings } from '@svc/server'
import { note, print } from './output.js'
import { addSettings, sourceOf } from './settings-options.js'

interface AdoptOptions extends Record<string, unknown> {
  dryRun?: boolean
}

const details = `
The account gets the records of the zone. svc replaces the SOA and the NS records of the apex. If svc cannot represent a
record, it names the record and changes nothing. Records of types that svc does not manage stay unchanged.`

/** `svc dns adopt`: gives an account an existing zone of the DNS provider. */
export function adoptCommand(): Command {
  const command = new Command('adopt')
    .description('Give an account an existing zone of the DNS provider, with its records')
    .argument('<zone>')
    .argument('<email>')
    .option('--dry-run', 'print the records of the zone, and change nothing')
    .addHelpText('after', details)
  return addSettings(command, zoneSettings).action(
    async (zone: string, email: string, { dryRun = false, ...options }: AdoptOptions) => {
      const config = readConfig(sourceOf(options, zoneSettings))
      const { adoptZone } = await loadDnsAdoptCommand()
      const { zone: name, account, wasHolder, records, notes } = await adoptZone(config, { zone, email, dryRun })
      if (wasHolder) {
        note(`${name} is already verified for ${account}.`)
        return
      }
      for (const text of notes) note(text)
      if (dryRun) for (const record of records) print(record)
      const count = `${records.length} ${records.length === 1 ? 'record' : 'records'}`
      if (dryRun) note(`${name} would be verified for ${account}, with ${count}. Nothing was changed.`)
      else note(`${name} is verified for ${account}, with ${count}.`)
    },
  )
}

import { Command } from 'commander'
import { loadDnsAdoptCommand, readConfig, zoneSettings } from '@svc/server'
import { note, print } from './output.js'
import { addSettings, sourceOf } from './settings-options.js'

interface AdoptOptions extends Record<string, unknown> {
  dryRun?: boolean
}

const details = `
Its records become the account's; its SOA and the NS records of its apex become svc's own. A record that svc cannot represent
is named, and nothing is changed. Records of types that svc does not manage are left alone.`

/** `svc dns adopt`: gives an account a zone that exists at the DNS provider and was not created by svc. Works beside a running server. */
export function adoptCommand(): Command {
  const command = new Command('adopt')
    .description('Give a zone that the DNS provider has, and svc did not make, to an account with its records')
    .argument('<zone>')
    .argument('<email>')
    .option('--dry-run', 'show what would be taken over, and change nothing')
    .addHelpText('after', details)
  return addSettings(command, zoneSettings).action(
    async (zone: string, email: string, { dryRun = false, ...options }: AdoptOptions) => {
      const config = readConfig(sourceOf(options, zoneSettings))
      const { adoptZone } = await loadDnsAdoptCommand()
      const { zone: name, account, wasHolder, records, notes } = await adoptZone(config, { zone, email, dryRun })
      if (wasHolder) {
        note(`${name} is verified for ${account} already.`)
        return
      }
      for (const text of notes) note(text)
      if (dryRun) for (const record of records) print(record)
      const count = `${records.length} ${records.length === 1 ? 'record' : 'records'}`
      if (dryRun) note(`${name} would be verified for ${account}, with ${count}. Nothing is changed.`)
      else note(`${name} is verified for ${account}, with ${count}.`)
    },
  )
}

import { Command } from 'commander'
import { claimSettings, loadDnsCommands, readConfig } from '@svc/server'
import { adoptCommand } from './dns-adopt-command.js'
import { dnsKeyCommand } from './dns-key-commands.js'
import { syncCommand } from './dns-sync-command.js'
import { historyCommand, revertCommand } from './dns-history-commands.js'
import { deleteCommand, releaseCommand, zonesCommand } from './dns-zones-commands.js'
import { note, printTable } from './output.js'
import { addSettings, sourceOf } from './settings-options.js'
import { exportCommand, importCommand } from './zone-file-commands.js'

/** `svc dns …`: the operator's commands for zones. They work beside a running server. */
export function dnsCommand(): Command {
  return new Command('dns')
    .description(
      'List, assign, release, delete, adopt, reserve, claim, export, import, revert and sync zones, and manage keys',
    )
    .addCommand(zonesCommand())
    .addCommand(dnsKeyCommand())
    .addCommand(assignCommand())
    .addCommand(releaseCommand())
    .addCommand(deleteCommand())
    .addCommand(adoptCommand())
    .addCommand(reserveCommand())
    .addCommand(claimLegacyCommand())
    .addCommand(exportCommand())
    .addCommand(importCommand())
    .addCommand(historyCommand())
    .addCommand(revertCommand())
    .addCommand(syncCommand())
}

const configOf = (options: Record<string, unknown>) => readConfig(sourceOf(options, claimSettings))

function assignCommand(): Command {
  const command = new Command('assign')
    .description('Give a zone to an account, verified without a proof; also a reserved zone')
    .argument('<zone>')
    .argument('<email>')
  return addSettings(command, claimSettings).action(
    async (zone: string, email: string, options: Record<string, unknown>) => {
      const { assignZone } = await loadDnsCommands()
      const { wasHolder, ...assigned } = await assignZone(configOf(options), zone, email)
      if (wasHolder) note(`${assigned.zone} was already verified for ${assigned.account}; this is now confirmed.`)
      else note(`${assigned.zone} is verified for ${assigned.account}. Only the records of this account are served.`)
    },
  )
}

interface ReserveOptions extends Record<string, unknown> {
  remove?: true
}

function reserveCommand(): Command {
  const command = new Command('reserve')
    .description('Reserve a zone: an account gets it only with a TXT challenge or by svc dns assign')
    .argument('[zone]', 'leave it out to list the reserved zones')
    .option('--remove', 'end the reservation')
  return addSettings(command, claimSettings).action(async (zone: string | undefined, options: ReserveOptions) => {
    const { listReserved, reserveZone, unreserveZone } = await loadDnsCommands()
    const config = configOf(options)
    if (zone === undefined) {
      const reserved = await listReserved(config)
      await printTable(
        ['zone', 'reserved by'],
        reserved.map((entry) => [entry.zone, entry.source]),
      )
    } else if (options.remove === true) {
      const { zone: name, changed } = await unreserveZone(config.database, zone)
      note(changed ? `${name} is no longer reserved.` : `${name} was not reserved.`)
    } else {
      const { zone: name, changed, holder } = await reserveZone(config.database, zone)
      note(changed ? `${name} is reserved.` : `${name} was already reserved.`)
      if (holder !== undefined) note(`It stays verified for ${holder}; svc dns assign gives it to another account.`)
    }
  })
}

function claimLegacyCommand(): Command {
  const command = new Command('claim-legacy')
    .description(
      "Claim a zone for a user who was migrated from another system: the zone's live NS answers are the proof",
    )
    .argument('<email>')
    .argument('<zone>', 'apex domain or reverse zone, such as example.com or 2.0.192.in-addr.arpa')
  return addSettings(command, claimSettings).action(
    async (email: string, zone: string, options: Record<string, unknown>) => {
      const { claimLegacy } = await loadDnsCommands()
      const claim = await claimLegacy(configOf(options), email, zone)
      note(
        `Claimed ${claim.zone}, pending: the account can verify it once its registrar delegates it to the names in SVC_NAMESERVERS.`,
      )
    },
  )
}

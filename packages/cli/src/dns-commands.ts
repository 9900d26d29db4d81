import { Command } from 'commander'
import { databaseSettings, loadDnsCommands, readDatabaseConfig } from '@svc/server'
import { syncCommand } from './dns-sync-command.js'
import { note } from './output.js'
import { addSettings, sourceOf } from './settings-options.js'
import { exportCommand, importCommand } from './zone-file-commands.js'

/** `svc dns …`: the operator's hand on zones. Works beside a running server. */
export function dnsCommand(): Command {
  return new Command('dns')
    .description('Claim, export, import and sync zones')
    .addCommand(claimLegacyCommand())
    .addCommand(exportCommand())
    .addCommand(importCommand())
    .addCommand(syncCommand())
}

function claimLegacyCommand(): Command {
  const command = new Command('claim-legacy')
    .description("Claim a zone for an account that comes from elsewhere: proven by the zone's live NS answers")
    .argument('<email>')
    .argument('<zone>', 'such as example.com or 2.0.192.in-addr.arpa')
  return addSettings(command, databaseSettings).action(
    async (email: string, zone: string, options: Record<string, unknown>) => {
      const { claimLegacy } = await loadDnsCommands()
      const claim = await claimLegacy(readDatabaseConfig(sourceOf(options, databaseSettings)), email, zone)
      note(
        `Claimed ${claim.zone}, pending: the account can verify it once it is delegated to the names in SVC_NAMESERVERS.`,
      )
    },
  )
}

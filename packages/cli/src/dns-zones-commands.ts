import { Command, Option } from 'commander'
import {
  counted,
  databaseSettings,
  loadDnsZonesCommands,
  readConfig,
  readDatabaseConfig,
  zoneSettings,
  type ZoneUse,
} from '@svc/server'
import { confirm, yesOption } from './confirm.js'
import { note, printJsonList, printTablePages } from './output.js'
import { addSettings, sourceOf } from './settings-options.js'
import { mapPages } from './table.js'

interface ZonesOptions extends Record<string, unknown> {
  account?: string
  status?: string
  json?: boolean
}

const listDetails = `
A zone with several claims has several lines. A released zone is served without a verified claim, with the records of its last
holder.`

/** `svc dns zones`: the zones of all accounts. */
export function zonesCommand(): Command {
  const command = new Command('zones')
    .description('List the zones of all accounts')
    .option('--account <email>', 'only the zones of this account')
    .addOption(
      new Option('--status <status>', 'only zones with this status').choices(['verified', 'pending', 'released']),
    )
    .option('--json', 'print JSON')
    .addHelpText('after', listDetails)
  return addSettings(command, databaseSettings).action(
    async ({ account, status, json = false, ...options }: ZonesOptions) => {
      const { listZones, zoneToJson } = await loadDnsZonesCommands()
      await listZones(readDatabaseConfig(sourceOf(options, databaseSettings)), account, (pages) => {
        const chosen = choose(pages, (zone) => status === undefined || zone.status === status)
        if (json) return printJsonList(mapPages(chosen, zoneToJson))
        const rows = mapPages(
          chosen,
          (zone) => Object.values(zoneToJson(zone)).map((cell) => String(cell ?? '-')),
          () => note('No zones.'),
        )
        return printTablePages(['zone', 'status', 'method', 'account', 'records', 'since'], rows)
      })
    },
  )
}

async function* choose<T>(pages: AsyncIterable<readonly T[]>, isChosen: (item: T) => boolean): AsyncGenerator<T[]> {
  for await (const page of pages) yield page.filter(isChosen)
}

/** `svc dns release`: ends a verified claim. */
export function releaseCommand(): Command {
  const command = new Command('release')
    .description('End the verified claim on a zone, as its account can do itself; the zone is still served')
    .argument('<zone>')
  return addSettings(command, databaseSettings).action(async (zone: string, options: Record<string, unknown>) => {
    const { releaseZone } = await loadDnsZonesCommands()
    const use = await releaseZone(readDatabaseConfig(sourceOf(options, databaseSettings)), zone)
    noteDomains(use, 'is no longer served')
    note(
      `${use.zone} is no longer verified for ${String(use.holder)}. It is served as before until an account is verified for it; svc dns delete ends that.`,
    )
  })
}

interface DeleteOptions extends Record<string, unknown> {
  yes?: boolean
}

const deleteDetails = `
Ends the verified claim, removes the records of all accounts in the zone, and serves the zone no more, also at the DNS provider
with all that it has there. Pending claims stay: their accounts can still be verified.`

/** `svc dns delete`: deletes a zone. */
export function deleteCommand(): Command {
  const command = new Command('delete')
    .description('Delete a zone and all its records')
    .argument('<zone>')
    .option(...yesOption)
    .addHelpText('after', deleteDetails)
  return addSettings(command, zoneSettings).action(async (zone: string, { yes = false, ...options }: DeleteOptions) => {
    const config = readConfig(sourceOf(options, zoneSettings))
    const { deleteZone, zoneUse } = await loadDnsZonesCommands()
    const use = await zoneUse(config.database, zone)
    noteUse(use)
    await confirm(use.zone, yes)
    await deleteZone(config, use.zone)
    note(`${use.zone} is deleted, and served no more.`)
  })
}

function noteUse(use: ZoneUse): void {
  const { zone, holder, shares, pending } = use
  note(holder === undefined ? `${zone} is not verified for any account.` : `${zone} is verified for ${holder}.`)
  if (shares.length === 0) note('It has no records.')
  for (const { account, records, mx } of shares) {
    const mail = mx === 0 ? '' : `, including ${counted(mx, 'MX record')}: mail for the zone depends on them`
    note(`It has ${counted(records, 'record')} of ${account ?? 'an unknown account'}${mail}.`)
  }
  noteDomains(use, 'stops being served')
  for (const account of pending) note(`The pending claim of ${account} stays.`)
}

function noteDomains({ domains }: ZoneUse, effect: string): void {
  for (const { host, site } of domains) note(`The site ${site} ${effect} at ${host}.`)
}

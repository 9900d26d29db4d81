import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { ApiError } from '@svc/contract/errors'
import { zoneStore, type ZoneStore } from '../../areas/dns/publishing/zone-store.js'
import { isInSync } from '../../areas/dns/publishing/sync.js'
import { installationId } from '../../db/installation-store.js'
import { boundedFetch } from '../../ports/bounded-fetch.js'
import type { DnsProvider } from '../../ports/dns/port.js'
import { selectProvider } from '../../ports/dns/select.js'
import { counted } from '../../shared/counted.js'
import { reasonOf, requireDatabase, type Check, type Context } from './check.js'
import type { Report } from './finding.js'

const fetchMs = 4_000
const listedMax = 20

/** A change that is being made is in PowerDNS first, and in the database a moment later. */
const settleMs = 500

/** The comparison ends here; the other zones are not compared. */
const compareMs = 8_000

/** Whether PowerDNS answers, accepts the key, and has the zones of the database. */
export const providerCheck: Check = {
  section: 'provider',
  deadlineMs: 26_000,
  async run(context, report, signal) {
    const { provider } = context.config.dns
    if (provider.kind === 'embedded') {
      report.ok('The embedded nameserver reads its zones from the database.')
      return
    }
    if (!(await answers(provider, report))) return
    const db = await requireDatabase(context, report)
    if (db === undefined) return
    const opened = await selectProvider(context.config.dns, {
      log: pino({ level: 'silent' }),
      installation: await installationId(db),
    })
    if (opened === undefined) return
    try {
      await compareZones(zoneStore(db), opened, { report, signal, progress: context.progress })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      report.error(error.message)
    } finally {
      await opened.close()
    }
  },
}

async function answers({ url, key }: { url: string; key: string }, report: Report): Promise<boolean> {
  const where = `PowerDNS at ${url}`
  try {
    const { status, text } = await boundedFetch(`${url}/api/v1/servers/localhost`, {
      headers: { 'x-api-key': key },
      deadlineMs: fetchMs,
      maxBytes: 65_536,
      redirects: 'error',
    })
    const version = /"version":\s*"([^"]{1,40})"/.exec(text)?.[1]
    if (status === 200 && version !== undefined) {
      report.ok(`${where} answers, version ${version}, and accepts the key.`)
      return true
    }
    if (status === 401 || status === 403)
      report.error(`${where} refuses the key.`, 'Set SVC_POWERDNS_KEY to the api-key in pdns.conf.')
    else report.error(`The server at ${url} answers with ${String(status)}, not like PowerDNS.`, 'Correct SVC_DNS.')
  } catch (error) {
    report.error(
      `${where} cannot be reached: ${reasonOf(error)}.`,
      'Start PowerDNS with api=yes and webserver=yes, or correct SVC_DNS.',
    )
  }
  return false
}

interface Comparison extends Pick<Context, 'progress'> {
  readonly report: Report
  readonly signal: AbortSignal
}

async function compareZones(zones: ZoneStore, provider: DnsProvider, comparison: Comparison): Promise<void> {
  const { report, signal, progress } = comparison
  const served = new Set(await provider.zoneNames())
  const until = performance.now() + compareMs
  const differing: string[] = []
  let compared = 0
  let rest = 0
  for await (const name of zones.names()) {
    if (signal.aborted || performance.now() > until) {
      if (served.has(name)) rest += 1
      else differing.push(`${name} is missing`)
      continue
    }
    const difference = await differenceOf(zones, provider, name)
    if (difference !== undefined) differing.push(difference)
    compared += 1
    if (compared % 100 === 0) progress(`Compared ${String(compared)} zones with PowerDNS.`)
  }
  if (differing.length > 0)
    report.error(
      `PowerDNS does not serve ${counted(differing.length, 'zone')} as the database has ${differing.length === 1 ? 'it' : 'them'}.`,
      'Run svc dns sync --dry-run to see the differences, and svc dns sync to repair them.',
      differing.slice(0, listedMax),
    )
  else report.ok(`PowerDNS has all records of ${counted(compared, 'zone')}.`)
  if (rest > 0)
    report.ok(
      `The records of ${String(rest)} more zones are not compared, which takes longer: svc dns sync --dry-run compares all.`,
    )
}

/** @returns undefined for a zone that is in sync */
async function differenceOf(zones: ZoneStore, provider: DnsProvider, name: string): Promise<string | undefined> {
  const look = async () => provider.drift(await zones.contents(name))
  if (isInSync(await look())) return undefined
  await sleep(settleMs)
  const drift = await look()
  if (isInSync(drift)) return undefined
  if (drift.missing) return `${name} is missing`
  if (drift.mark === 'other') return `${name} is marked by another installation of svc`
  return `${name} differs in ${String(drift.differences.length)} RRsets`
}

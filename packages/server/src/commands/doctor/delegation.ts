import { isPublicName } from '@svc/contract/public-name'
import { zoneStore } from '../../areas/dns/publishing/zone-store.js'
import type { InspectedDatabase } from '../../db/inspected.js'
import { requireDatabase, type Check, type Context, type ZoneChoice } from './check.js'
import type { Finding, Report } from './finding.js'
import { NoResolver, PublicDns } from './public-dns.js'
import { resolverAddresses } from './resolvers.js'
import { ZoneCheck } from './zone-delegation.js'

/** Zones that are checked if the operator names none, and the time after which no further ones are: the last ones may take seconds. */
const zonesMax = 1_000
const beginMs = 15_000

/** Zones that are checked at the same time. */
const zonesAtOnce = 8

/** Up to so many zones that are as they should be, each has a line: thousands would hide the others. */
const linesMax = 20

const dnsPort = 53

export interface DelegationOptions {
  readonly zones: ZoneChoice
  /** Of nameservers other than the resolvers. */
  readonly port?: number
}

/** Whether the verified zones are delegated to this server, and its nameservers answer for them. */
export const delegationCheck = ({ zones, port = dnsPort }: DelegationOptions): Check => ({
  section: 'delegation',
  deadlineMs: zones.kind === 'all' ? undefined : 27_000,
  async run(context, report, signal) {
    const { dns } = context.config
    if (!dns.nameservers.every(isPublicName)) {
      report.ok('Not checked: SVC_NAMESERVERS has names that the public DNS cannot have.')
      return
    }
    const publicDns = new PublicDns(resolverAddresses(dns), port)
    const zoneCheck = new ZoneCheck(publicDns, {
      nameservers: dns.nameservers,
      isUnsigned: dns.provider.kind === 'embedded',
      serialOf: serialsOf(dns.provider.kind === 'embedded' ? await context.database : undefined),
    })
    try {
      await checkZones(context, zones, { report, signal, zoneCheck })
    } catch (error) {
      if (!(error instanceof NoResolver)) throw error
      report.error('Not checked: no resolver answers.', 'Correct SVC_RESOLVERS, or the resolvers of the system.')
    }
  },
})

interface Checking {
  readonly report: Report
  readonly signal: AbortSignal
  readonly zoneCheck: ZoneCheck
}

async function checkZones(
  context: Context,
  choice: ZoneChoice,
  { report, signal, zoneCheck }: Checking,
): Promise<void> {
  const names = choice.kind === 'one' ? [choice.zone] : await verifiedNames(context, report)
  if (names === undefined) return
  const [limit, until] = choice.kind === 'all' ? [Infinity, Infinity] : [zonesMax, performance.now() + beginMs]
  let checked = 0
  const well: Finding[] = []
  let batch: string[] = []
  const checkBatch = async () => {
    const reports = await Promise.all(batch.map((zone) => zoneCheck.run(zone)))
    checked += batch.length
    batch = []
    for (const finding of reports.flatMap(({ findings }) => findings))
      if (finding.status === 'ok') well.push(finding)
      else report.findings.push(finding)
    context.progress(`Checked the delegation of ${String(checked)} zones.`)
  }
  let hasMore = false
  for await (const name of names) {
    if (signal.aborted) return
    hasMore = checked + batch.length >= limit || performance.now() > until
    if (hasMore) break
    batch.push(name)
    if (batch.length === zonesAtOnce) await checkBatch()
  }
  if (batch.length > 0) await checkBatch()
  if (checked === 0) report.ok('No zone is verified yet.')
  if (well.length <= linesMax) report.findings.push(...well)
  else report.ok(`${String(well.length)} of ${String(checked)} zones are as they should be.`)
  if (hasMore)
    report.ok(`Only the first ${String(checked)} zones were checked: --all-zones checks all, and --zone ZONE one.`)
}

/** The serials of zones that svc serves. @param db undefined if another server sets the serials */
const serialsOf =
  (db: InspectedDatabase | undefined) =>
  async (zone: string): Promise<number | undefined> =>
    db && zoneStore(db).serial(zone)

async function verifiedNames(context: Context, report: Report): Promise<AsyncIterable<string> | undefined> {
  const db = await requireDatabase(context, report)
  return db && zoneStore(db).verifiedNames()
}

import { dirname } from 'node:path'
import type { Logger } from 'pino'
import type { UpdateListener } from '../ports/dns/embedded/update-listener.js'
import { installationId } from '../db/installation-store.js'
import { startNameserverProcess } from '../areas/dns/publishing/nameserver-process.js'
import { zoneStore } from '../areas/dns/publishing/zone-store.js'
import { publishApexSettings } from '../areas/dns/transfers/secondaries.js'
import type { Config } from '../config/config.js'
import { askForOwner, refuseNew, takeOwnStore } from './own-store.js'
import { connect } from '../db/connect.js'
import type { Database } from '../db/port.js'
import { BlobIntake } from '../ports/blobs/intake.js'
import { selectBlobs } from '../ports/blobs/select.js'
import { openAcme } from '../ports/certificates/acme/open.js'
import { openCertificates } from '../ports/certificates/files/open.js'
import { joinedSources } from '../ports/certificates/joined-sources.js'
import { bundledCountries, mmdbCountries } from '../ports/country/mmdb-countries.js'
import { selectDns } from '../ports/dns/select.js'
import { selectEdge } from '../ports/edge/select.js'
import { MailOutbox } from '../ports/mail/outbox/outbox.js'
import { selectMail } from '../ports/mail/select.js'
import { reachableAddresses } from '../ports/outbound/public-networks.js'
import { userTargets } from '../ports/outbound/user-targets.js'
import { openRegistries } from '../ports/registry/open-registries.js'
import { watchFileSystems } from '../ports/space/file-systems.js'
import { reserveJob } from '../ports/space/reserve-job.js'
import { LiveRates } from '../ports/rates/live-rates.js'
import { openVault } from '../ports/vault/envelope-vault.js'
import { networkResolver } from '../ports/resolver/network-resolver.js'

interface Closeable {
  close(): Promise<void>
}

export type Ports = Awaited<ReturnType<typeof openPorts>>

/** Opens the configured adapter of each port. `close` closes them, the last opened first. */
export async function openPorts(config: Config, log: Logger) {
  // First, so that a file that is not a country database stops the start before anything is open.
  const countries = mmdbCountries(config.geoDb ?? bundledCountries(), (error) => {
    log.warn(
      { err: error },
      'the country database is damaged: countries are null until it is replaced and svc is restarted',
    )
  })
  // Before the database too: a certificate that cannot be used stops the start.
  const files = config.tls?.files && (await openCertificates(config.tls.files, log))
  const connectionLost = (error: Error) => {
    log.warn({ err: error }, 'database connection lost')
  }
  // Uncaught on purpose: it is logged as fatal and ends the process, so that a supervisor restarts it.
  const databaseLost = (error: Error) => {
    throw error
  }
  const opened: Closeable[] = files ? [files] : []
  const open = <P extends Closeable>(port: P): P => {
    opened.push(port)
    return port
  }
  const close = async () => {
    for (const port of opened.toReversed()) await port.close()
  }
  try {
    const blobs = open(await selectBlobs(config.blobs))
    const answer = await askForOwner(blobs, log)
    const onNew = () => refuseNew(answer, config)
    const database = open(await connect(config.database, connectionLost, databaseLost, onNew))
    // Before the vault, which makes a master key for a new installation.
    await takeOwnStore(answer, { database, blobs }, config, log)
    const vault = await openVault(config.vault, database)
    const acme = config.acme && (await openAcme({ database, vault, log }))
    const space = await watchFileSystems({ paths: directoriesOf(config), reserveBytes: config.diskReserveBytes })
    const intake = open(new BlobIntake(database, blobs, log, space))
    const edge = open(await selectEdge(config.edge))
    const zones = await openZones(config, database, log, open)
    return {
      database,
      vault,
      blobs,
      intake,
      edge,
      outbox: open(new MailOutbox(database, await selectMail(config.mail))),
      acme,
      // Undefined if svc does not end TLS itself.
      certificates: config.tls && joinedSources([files, acme?.certificates].filter((source) => source !== undefined)),
      countries,
      ...zones,
      space,
      spaceJobs: [space.job, ...reserveJob(config.database, space)],
      rates: new LiveRates({ url: config.fxUrl, db: database, log }),
      registries: open(openRegistries({ ...config.registries, db: database, log, allowed: config.outboundAllow })),
      resolver: networkResolver({ servers: config.dns.resolvers }),
      targets: userTargets({ allowed: config.outboundAllow }),
      areReachable: reachableAddresses(config.outboundAllow),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** The directories that this process writes to. With PostgreSQL and a bucket there are none. */
const directoriesOf = ({ database, blobs }: Config): string[] => [
  ...(database.kind === 'sqlite' ? [dirname(database.file)] : []),
  ...(blobs.kind === 'disk' ? [blobs.folder] : []),
]

type Open = <P extends Closeable>(port: P) => P

/** Opens the embedded nameserver or the external provider, with the stored zones. */
async function openZones(config: Config, database: Database, log: Logger, open: Open) {
  const installation = await installationId(database)
  const zones = zoneStore(database)
  // Both before the zones are read: orders wait for this process, and the zone follower reads what changes in the meantime.
  const nameserverProcess =
    config.dns.provider.kind === 'embedded' ? open(await startNameserverProcess(database, log)) : undefined
  if (nameserverProcess !== undefined) await publishApexSettings(database, config.dns)
  const loadedPosition = await zones.position()
  const dns = await selectDns(config.dns, { log, installation, zones: zones.all() })
  return {
    installation,
    nameserverProcess,
    loadedPosition,
    dns: open(dns),
    updates: await openUpdates(config, log, open),
  }
}

/** Beside an external provider, the port of dynamic updates; undefined if it is not set, and for the embedded nameserver. */
async function openUpdates({ dns }: Config, log: Logger, open: Open): Promise<UpdateListener | undefined> {
  const { updatePort: port } = dns
  if (dns.provider.kind === 'embedded' || port === undefined) return undefined
  const { listenForUpdates } = await import('../ports/dns/embedded/update-listener.js')
  const updates = open(await listenForUpdates({ ...dns, port, log }))
  log.info({ addresses: updates.addresses }, 'listening for DNS updates')
  return updates
}

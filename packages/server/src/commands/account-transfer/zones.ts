import { claimInTransaction, isUnclaimed } from '../../areas/dns/claims/store.js'
import { lockClaims } from '../../areas/dns/claims/conflict-store.js'
import { challengeName } from '../../ports/dns/challenge.js'
import { checkNew } from '../../areas/dns/records/conflicts.js'
import { HostIndex } from '../../areas/dns/records/host-index.js'
import { giveZone, lockZones, type LockedZone } from '../../areas/dns/zones/holder-store.js'
import type { BulkTransaction } from '../../db/bulk-transaction.js'
import { operatorActor } from '../../shared/actor.js'
import { OperatorError } from '../../shared/operator-error.js'
import type { Tables } from '../../db/tables.js'
import type { RowValues } from './row-values.js'
import { countRecords, rememberRecords, setLastRecordId, zoneByName } from './zone-store.js'

const actor = operatorActor('svc account import')

/**
 * Imports claims and zones. The archive proves nothing: each claim is made as if the account made it now, so it is verified only where a
 * request would be. Otherwise it is pending with a new challenge, and its records wait until it is verified, if need be in a zone that is
 * not served.
 */
export class ZoneImport {
  /** By the old id of the zone. */
  readonly #byId = new Map<number, ImportedZone>()
  readonly #byName = new Map<string, ImportedZone>()
  /** The records of the zone that is being read, by host. */
  #reading: { readonly zone: ImportedZone; readonly byHost: Map<string, HostIndex<ReadRecord>> } | undefined

  constructor(
    private readonly tx: BulkTransaction,
    private readonly accountId: number,
    private readonly terms: ZoneTerms,
  ) {}

  /** The zones that the account holds. */
  get held(): readonly string[] {
    return [...this.#byName.values()].filter(({ isHeld }) => isHeld).map(({ name }) => name)
  }

  /** Decides on all zones, and inserts them and the claims. @param oldAccountId of the account in the archive */
  async begin({ claims, zones }: ArchivedZones, oldAccountId: number): Promise<void> {
    const claimed = new Set(claims.map(({ zone }) => String(zone)))
    const released = zones
      .filter((row) => row['holder_id'] === oldAccountId && !claimed.has(String(row['name'])))
      .map(({ name }) => String(name))
    lockClaims(this.tx, ...claimed, ...released)
    const locked = await lockZones(this.tx, [...claimed, ...released])
    const now = Date.now()
    const held = new Set<string>()
    for (const name of claimed) if (await this.#claim(name, now)) held.add(name)
    for (const name of released) if (await this.#serveReleased(name, locked, now)) held.add(name)
    const names = new Set([...zones.map(({ name }) => String(name)), ...held])
    for (const name of names) {
      const zone = await this.#find(name, held.has(name), now)
      this.#byName.set(name, zone)
      for (const row of zones.filter((row) => row['name'] === name)) this.#byId.set(Number(row['id']), zone)
    }
  }

  /** The record for this installation. @throws OperatorError for a conflict with another record */
  record(row: RowValues): RowValues {
    const zone = this.#byId.get(Number(row['zone_id']))
    if (zone === undefined) throw new OperatorError('The archive is damaged: it has records without a zone.')
    this.#checkConflicts(zone, row as unknown as ReadRecord)
    zone.records += 1
    zone.lastRecordId = Math.max(zone.lastRecordId, Number(row['id']) + zone.shift)
    return { ...row, zone_id: zone.id, id: Number(row['id']) + zone.shift, account_id: this.accountId }
  }

  /** How much the ids of the records of a zone have grown. */
  shiftOf = (zone: string): number => this.#byName.get(zone)?.shift ?? 0

  /** Serves the zones, after their records. */
  finish(): void {
    for (const { name, id, records, isHeld, lastRecordId, shift } of this.#byName.values()) {
      if (records === 0) continue
      this.tx.send(setLastRecordId, { id, lastRecordId })
      if (isHeld) this.tx.send(countRecords, { id, accountId: this.accountId })
      else {
        this.tx.send(rememberRecords, { id, accountId: this.accountId })
        this.terms.note(`The records of ${name} (${records}) are kept, and served when the account verifies the zone.`)
      }
      if (shift > 0) this.terms.note(`The records of ${name} have new ids.`)
    }
  }

  /** @returns whether the claim is verified */
  async #claim(zone: string, now: number): Promise<boolean> {
    const terms = { isHeldByOperator: this.terms.isHeldByOperator(zone) }
    const { claim } = await claimInTransaction(this.tx, { accountId: this.accountId, zone, actor }, terms, now)
    if (claim.status === 'verified') return true
    this.terms.note(
      `The claim on ${zone} is pending: another account or the operator has the zone. The TXT record ${challengeName(zone)} with the value ` +
        `${String(claim.txtValue)} proves it; svc dns assign ${zone} ${this.terms.email} gives it to the account without a proof.`,
    )
    return false
  }

  /** A zone that the account had released: served as if it had claimed and released it here, unless it is served already. */
  async #serveReleased(zone: string, locked: readonly LockedZone[], now: number): Promise<boolean> {
    const key = { accountId: this.accountId, zone, actor }
    const existing = await this.tx.one(zoneByName, { name: zone })
    if (existing?.deletedAt === null || this.terms.isHeldByOperator(zone) || !(await isUnclaimed(this.tx, key)))
      return false
    giveZone(this.tx, locked, key, now)
    return true
  }

  async #find(name: string, isHeld: boolean, now: number): Promise<ImportedZone> {
    const existing = await this.tx.one(zoneByName, { name })
    const shift = existing?.lastRecordId ?? 0
    return { name, isHeld, shift, id: existing?.id ?? (await this.#insert(name, now)), lastRecordId: shift, records: 0 }
  }

  /** A zone in which records wait, like one that the operator has deleted. */
  async #insert(name: string, now: number): Promise<number> {
    const [id = 0] = await this.tx.takeIds('dns_zone', 1)
    const row = {
      id,
      name,
      serial: Math.floor(now / 1000),
      version: 0,
      last_record_id: 0,
      content_bytes: 0,
      deleted_at: now,
    }
    await this.tx.insert('dns_zone', Object.keys(row), [Object.values(row)])
    return id
  }

  /** The rules between records of one host, as in a request. The records of a zone follow one another in an archive. */
  #checkConflicts(zone: ImportedZone, record: ReadRecord): void {
    if (this.#reading?.zone !== zone) {
      if (zone.records > 0) throw new OperatorError('The archive is damaged: its records are in no order.')
      this.#reading = { zone, byHost: new Map() }
    }
    const there = this.#reading.byHost.get(record.host) ?? new HostIndex<ReadRecord>()
    const [first = record] = there.records(record.type)
    if (checkNew(there, record) !== undefined || first.ttl !== record.ttl)
      throw new OperatorError(
        `The archive is damaged: the ${record.type} records at ${record.host} of ${zone.name} have a duplicate or several ttls.`,
      )
    there.add(record)
    this.#reading.byHost.set(record.host, there)
  }
}

type ReadRecord = Pick<Tables['dns_record'], 'id' | 'type' | 'host' | 'value' | 'ttl' | 'priority'>

export interface ArchivedZones {
  /** Rows of dns_claim. */
  readonly claims: readonly RowValues[]
  /** Rows of dns_zone. */
  readonly zones: readonly RowValues[]
}

interface ZoneTerms {
  /** Of the account. */
  readonly email: string
  readonly isHeldByOperator: (zone: string) => boolean
  /** Reports a change, in one sentence. */
  readonly note: (change: string) => void
}

interface ImportedZone {
  readonly name: string
  readonly id: number
  readonly isHeld: boolean
  readonly shift: number
  lastRecordId: number
  /** How many the archive has. */
  records: number
}

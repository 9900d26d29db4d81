import { conflictingClaims, lockClaims } from '../../areas/dns/claims/conflict-store.js'
import { newTxtValue } from '../../areas/dns/claims/own-claim-store.js'
import { isReserved } from '../../areas/dns/claims/reserved-store.js'
import { lockZones } from '../../areas/dns/zones/holder-store.js'
import { nextSerial } from '../../areas/dns/zones/version-store.js'
import type { BulkTransaction } from '../../db/bulk-transaction.js'
import type { RowValues } from './row-values.js'
import { holdZone, rememberRecords, setLastRecordId, zoneByName } from './zone-store.js'

/**
 * Imports claims and zones. A zone goes to the account unless another one has verified it here, or the operator keeps it and no proof is
 * known. Then the claim is pending, and its records wait until it is verified. They can wait only in a zone that exists here: a zone
 * without its records would be served empty.
 */
export class ZoneImport {
  /** By the old id of the zone. */
  readonly #byId = new Map<number, ImportedZone>()
  readonly #byName = new Map<string, ImportedZone>()

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
    const names = new Set([...claims.map(({ zone }) => String(zone)), ...zones.map(({ name }) => String(name))])
    // In one order, so that two transactions cannot deadlock.
    for (const name of [...names].sort()) lockClaims(this.tx, name)
    await lockZones(this.tx, [...names])
    const ids = await this.tx.takeIds('dns_claim', claims.length)
    for (const name of names) {
      const claim = claims.find(({ zone }) => zone === name)
      const zone = zones.find((row) => row['name'] === name)
      const wasHeld = zone?.['holder_id'] === oldAccountId
      await this.#importZone(
        name,
        zone,
        wasHeld,
        claim && { ...claim, id: ids.shift() ?? 0, account_id: this.accountId },
      )
    }
  }

  /** The record for this installation; undefined for one whose zone is left out. */
  record(row: RowValues): RowValues | undefined {
    const zone = this.#byId.get(Number(row['zone_id']))
    if (zone === undefined) return undefined
    zone.records += 1
    if (zone.id === undefined) return undefined
    return { ...row, zone_id: zone.id, id: Number(row['id']) + zone.shift, account_id: this.accountId }
  }

  /** How much the ids of the records of a zone have grown. */
  shiftOf = (zone: string): number => this.#byName.get(zone)?.shift ?? 0

  /** Serves the zones, after their records. */
  finish(): void {
    for (const { name, id, records, isHeld, serial, lastRecordId, shift } of this.#byName.values()) {
      if (id === undefined) {
        if (records > 0)
          this.terms.note(`The records of ${name} (${records}) are left out: the account does not hold the zone here.`)
        continue
      }
      if (isHeld) this.tx.send(holdZone, { id, serial, accountId: this.accountId, lastRecordId })
      else if (records > 0) {
        this.tx.send(setLastRecordId, { id, lastRecordId })
        this.tx.send(rememberRecords, { id, accountId: this.accountId })
      }
      if (records > 0 && !isHeld)
        this.terms.note(`The records of ${name} (${records}) are kept, and served when the account verifies the zone.`)
      if (records > 0 && shift > 0) this.terms.note(`The records of ${name} have new ids.`)
    }
  }

  async #importZone(name: string, zone: RowValues | undefined, wasHeld: boolean, claim?: RowValues): Promise<void> {
    const { tx } = this
    const others = await conflictingClaims(tx, this.accountId, name)
    const isOthers = others.some(({ status }) => status === 'verified')
    const isOperators = this.terms.isHeldByOperator(name) || (await isReserved(tx, name))
    const existing = await tx.one(zoneByName, { name })
    const wasVerified = claim?.['status'] === 'verified'
    const isProven = wasVerified && claim['method'] === 'txt'
    const isServed = existing?.deletedAt === null
    const isHeld = wasHeld && !isOthers && (isProven || !isOperators) && (wasVerified || !isServed)
    if (claim !== undefined) {
      const isDemoted = wasVerified && !isHeld
      const row = isDemoted ? { ...claim, status: 'pending', method: 'txt', txt_value: newTxtValue() } : claim
      await tx.insert('dns_claim', Object.keys(row), [Object.values(row)])
      if (isDemoted)
        this.terms.note(
          `The claim on ${name} is pending: ${isOthers ? 'another account has verified the zone' : 'the operator keeps the zone'}. svc dns assign ${name} ${this.terms.email} gives it to the account.`,
        )
    }
    if (zone === undefined) return
    const shift = existing?.lastRecordId ?? 0
    const imported = {
      ...{ name, isHeld, shift, records: 0 },
      id: existing?.id ?? (isHeld ? await this.#insert(name) : undefined),
      serial: existing === undefined ? Number(zone['serial']) : nextSerial(existing.serial),
      lastRecordId: shift + Number(zone['last_record_id']),
    }
    this.#byName.set(name, imported)
    this.#byId.set(Number(zone['id']), imported)
  }

  async #insert(name: string): Promise<number> {
    const [id = 0] = await this.tx.takeIds('dns_zone', 1)
    const row = { id, name, serial: 1, version: 0, last_record_id: 0, holder_id: null, content_bytes: 0 }
    await this.tx.insert('dns_zone', Object.keys(row), [Object.values(row)])
    return id
  }
}

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
  /** Undefined for a zone that is left out. */
  readonly id: number | undefined
  readonly isHeld: boolean
  readonly shift: number
  readonly serial: number
  readonly lastRecordId: number
  /** How many the archive has. */
  records: number
}

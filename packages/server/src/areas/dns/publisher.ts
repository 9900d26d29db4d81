import type { Account, ActingAccount } from '../../shared/account.js'
import type { Claim, ClaimTerms } from './claims/claim.js'
import type { Revert } from './history/revert-store.js'
import type { RecordsPlan } from './records/plan.js'
import type { RecordChange, RecordChanged, WantedRRset } from './records/record.js'
import type { WantedChange } from './records/wanted-changes.js'
import type { UpdatePlan } from './updates/plan-update.js'
import type { WantedUpdate } from './updates/update.js'
import type { ImportOptions } from './zone-file/import-plan.js'
import type { ImportCounts, ImportPlan } from './zone-file/import-store.js'
import type { ReadRecord } from './zone-file/records.js'

/**
 * Writes changes of zones to the database and publishes them. When a method resolves, the change is durable and the next
 * DNS query sees it. after-commit.ts implements it for the embedded nameserver, before-commit.ts for an external provider.
 * Every method throws ApiError `upstream_error` when an external provider fails; then nothing is changed.
 */
export interface Publisher {
  /** @throws ApiError as `RecordStore.apply` */
  applyChange(account: Account, zone: string, change: RecordChange): Promise<RecordChanged>

  /** Replaces all records of one host and type. @throws ApiError as `RecordStore.replaceRRset` */
  replaceRRset(account: Account, zone: string, wanted: WantedRRset): Promise<Pick<RecordsPlan, 'after'>>

  /** Applies changes in their order, all or none, in one step. @throws ApiError as `RecordStore.applyChanges` */
  applyChanges(
    account: Account,
    zone: string,
    changes: readonly WantedChange[],
  ): Promise<Pick<RecordsPlan, 'removed' | 'added' | 'after'>>

  /** Applies an update of RFC 2136, whole or not at all, in one step. @returns the code of its answer @throws ApiError as the method `apply` of `updateStore` */
  applyUpdate(account: Account, zone: string, update: WantedUpdate): Promise<Pick<UpdatePlan, 'rcode'>>

  /** Takes back changes, in one step. @throws ApiError as `RevertStore.apply` */
  revert(account: Account, zone: string, revert: Revert): Promise<Pick<RecordsPlan, 'serial' | 'removed' | 'added'>>

  /** Imports all records of a zone file, or none. @throws ApiError as `ImportStore.apply` */
  applyImport(
    account: ActingAccount,
    zone: string,
    read: readonly ReadRecord[],
    options: ImportOptions,
  ): Promise<ImportPlan>

  /** The same with a short answer. @throws ApiError as `ImportStore.apply` */
  importRecords(
    account: ActingAccount,
    zone: string,
    read: readonly ReadRecord[],
    options: ImportOptions,
  ): Promise<ImportCounts>

  /** @throws ApiError as `ClaimStore.claim` */
  claim(account: Account, zone: string, terms: ClaimTerms): Promise<Claim>

  /** @param proven the claim that the look-up proved @throws ApiError as `ClaimStore.verify` */
  verify(account: Account, proven: Claim, terms: ClaimTerms): Promise<Claim>

  /** Gives the zone to the account without a proof. */
  assign(account: Account, zone: string): Promise<Claim>

  /** Deletes a zone as `DeletionStore.deleteZone`. For the operator's command. */
  deleteZone(zone: string): Promise<void>

  /** Removes an account from a zone as `DeletionStore.removeFromZone`. For the operator's command. */
  removeFromZone(account: Pick<Account, 'id'>, zone: string): Promise<void>
}

/** Called when a provider could not be restored: it may differ from the database. */
export type ReportRestoreFailed = (zone: string, error: unknown) => void

import { badRequest } from '@svc/contract/errors'
import { webhookUrlMaxLength } from '@svc/contract/limits'
import type { Generated } from 'kysely'
import { bytes, count, flag, id, json, keyId, nullable, text, time } from '../../../db/columns.js'
import { ofAccount, ofInstallation, type RowRule, type TableDeclarations } from '../../../db/table-declaration.js'
import type { SealedColumns } from '../../../db/vault-tables.js'
import type { DeliveryColumns } from '../../../ports/outbound/deliveries/delivery-columns.js'
import { checkEvents, checkWebhookUrl, secretIdentity, tagPattern } from './webhook.js'

declare module '../../../db/tables.js' {
  interface Tables {
    account_webhook: AccountWebhookTable
    account_webhook_delivery: AccountWebhookDeliveryTable
    account_webhook_position: AccountWebhookPositionTable
  }
}

/** A URL that gets the events of an account. Its secret is in `sealed`. */
interface AccountWebhookTable extends Omit<SealedColumns, 'id'> {
  id: Generated<number>
  account_id: number
  /** Random: what its secret belongs to, and a part of the ids of its messages. */
  tag: string
  /** An absolute URL of http or https. */
  url: string
  /** JSON array of areas and actions; empty for all events. */
  events: string
  /** 0 while it is paused. */
  enabled: number
  /** It gets the events behind this id. */
  begins_after: number
  /** How many events were not sent because too many waited. */
  dropped: number
  /** It wants no request before (`Retry-After`); null if it has not said so. */
  paused_until: number | null
  created_at: number
}

/** The delivery of an event to a webhook of its account. */
interface AccountWebhookDeliveryTable extends DeliveryColumns {
  webhook_id: number
  event_id: number
  /** The start of the last answer's body; null without an answer. */
  answer: string | null
}

/** The position in the journal up to which events have their deliveries; one row. */
interface AccountWebhookPositionTable {
  id: number
  /** Id of the last event. */
  position: number
}

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((entry) => typeof entry === 'string')

const account_webhook: RowRule<'account_webhook'> = {
  columns: {
    id,
    account_id: id,
    tag: text(16, tagPattern),
    url: text(webhookUrlMaxLength),
    events: json(10_000, isTexts),
    enabled: flag,
    begins_after: count,
    dropped: count,
    paused_until: nullable(time),
    created_at: time,
    master_key_id: keyId,
    sealed: bytes(4_096, 1),
  },
  request: ({ url, events }) => ({
    operation: 'account.webhookCreate',
    body: { url, events: JSON.parse(events) as unknown },
  }),
  check: ({ url, events }) => {
    if (checkEvents(JSON.parse(events) as string[]) !== events) throw badRequest('events', 'must be sorted, each once')
    if (checkWebhookUrl(url) !== url) throw badRequest('url', 'must be in the form of the URL standard')
  },
}

/** The tables of the webhooks of accounts. */
export const webhookTables = {
  account_webhook: {
    ...ofAccount,
    hasGeneratedId: true,
    rule: account_webhook,
    sealed: (accountId, row) => secretIdentity(accountId, row),
    // The ids of events are those of an installation.
    imported: () => ({ begins_after: 0, dropped: 0, paused_until: null }),
  },
  account_webhook_delivery: {
    ...ofAccount,
    key: ['account_id', 'webhook_id', 'event_id'],
    references: { webhook_id: 'account_webhook', event_id: 'account_event', account_id: 'account' },
    mayDangle: ['event_id'],
    leftOut: 'its events stay with this installation',
  },
  account_webhook_position: ofInstallation('the ids of events are those of the installation'),
} satisfies TableDeclarations

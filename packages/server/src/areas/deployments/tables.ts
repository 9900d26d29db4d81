import { isDeepStrictEqual } from 'node:util'
import { badRequest } from '@svc/contract/errors'
import { deploymentKinds, type DeploymentKind } from '@svc/contract/limits'
import type { Generated } from 'kysely'
import { noteChange } from '../../db/change-clock-store.js'
import { bytes, count, flag, id, integer, json, nullable, oneOf, text, time } from '../../db/columns.js'
import {
  ofAccount,
  ofInstallation,
  ofParent,
  type AreaTables,
  type RowOf,
  type RowRule,
} from '../../db/table-declaration.js'
import { timestamp } from '../../shared/timestamp.js'
import { removeDeploymentsPart } from './account-removal-store.js'
import type { GivenTerms } from './deployment.js'
import { fieldsToJson, toSubmission, type Pair } from './forms/fields.js'
import { checkTerms } from './kinds.js'
import { reserveExistingSlugs } from './slug-store.js'
import { isSlug, randomSlug } from './slug.js'
import { hourSlots } from './use-count-store.js'
import { answerMaxLength, attemptsKept } from '../../ports/outbound/deliveries/attempt.js'
import type { DeliveryColumns } from '../../ports/outbound/deliveries/delivery-columns.js'

declare module '../../db/tables.js' {
  interface Tables {
    deployment: DeploymentTable
    deployment_slug: DeploymentSlugTable
    deployment_use_day: DeploymentUseDayTable
    deployment_use_hour: DeploymentUseHourTable
    deployment_deleted: DeploymentDeletedTable
    form_submission: FormSubmissionTable
    webhook_request: WebhookRequestTable
    webhook_delivery: WebhookDeliveryTable
    webhook_attempt: WebhookAttemptTable
  }
}

/** A form, a webhook or a short link. */
interface DeploymentTable {
  id: Generated<number>
  account_id: number
  kind: DeploymentKind
  /** Last part of its address; unique among those of its kind. */
  slug: string
  /** An absolute URL of http or https; null for a deployment that neither redirects nor forwards. */
  target: string | null
  /** 1 if its address answers, otherwise 0. */
  enabled: number
  uses: number
  /** How many submissions or requests are stored. */
  kept: number
  /** JSON object: the options of its kind. */
  settings: string
  /** Signs what a webhook forwards; null for the other kinds. */
  secret: string | null
  /** Its address answers before this time only; null without a limit. */
  expires_at: number | null
  /** Null without a limit. */
  max_uses: number | null
  /** The target of a webhook wants no request before (`Retry-After`); null if it has not said so. */
  paused_until: number | null
  created_at: number
  updated_at: number
}

/** A slug that a deployment has or had: it stays with its account. */
interface DeploymentSlugTable {
  kind: DeploymentKind
  slug: string
  /** Null if the account has been deleted: no account may use the slug. */
  account_id: number | null
}

/** The uses of a deployment on one day. */
interface DeploymentUseDayTable {
  deployment_id: number
  /** Number of the day since 1970-01-01, in UTC. */
  day: number
  uses: number
  /** Failed attempts to forward a request. */
  failures: Generated<number>
}

/** The uses of a deployment in one hour. The hours of eight days have a row each, which later hours use again. */
interface DeploymentUseHourTable {
  deployment_id: number
  /** The number of the hour modulo `hourSlots`: a later hour takes the place of this one. */
  slot: number
  /** Number of the hour since 1970-01-01T00:00Z. */
  hour: number
  uses: number
  failures: number
}

/** A deleted deployment whose submissions or requests are not all removed. */
interface DeploymentDeletedTable {
  deployment_id: number
}

/** A submission of a form. */
interface FormSubmissionTable {
  deployment_id: number
  /** Grows from 1 in each form: the number of its uses at that time. */
  id: number
  received_at: number
  /** Of the client: `192.0.2.0/24`. Its address is not stored. */
  network: string
  /** Empty if unknown. */
  user_agent: string
  subject: string | null
  /** Of `fields`, in bytes. */
  size: number
  /** JSON object: a text, or a list of texts for a field that was sent more than once, by name. */
  fields: string
}

/** A request that a webhook has received. */
interface WebhookRequestTable {
  deployment_id: number
  /** Grows from 1 in each webhook: the number of its uses at that time. */
  id: number
  received_at: number
  method: string
  /** What follows the slug, as it was sent; empty without. */
  path: string
  /** As it was sent, without the question mark. */
  query: string
  /** Of the client. */
  ip: string
  content_type: string | null
  /** Of the stored body, in bytes. */
  size: number
  /** 1 if the body was longer than the stored part, otherwise 0. */
  truncated: number
  /** JSON array of names and values in turn, as they were sent. */
  headers: string
  body: Buffer
}

/** The delivery of a request to the target of its webhook. */
interface WebhookDeliveryTable extends DeliveryColumns {
  deployment_id: number
  request_id: number
  /** How many attempts have been stored as rows, those of earlier deliveries of the request included. */
  recorded: Generated<number>
}

/** An attempt to forward a request. */
interface WebhookAttemptTable {
  deployment_id: number
  request_id: number
  /** The number of the attempt modulo `attemptsKept`: a new attempt takes the place of the oldest. */
  slot: number
  started_at: number
  duration_ms: number
  /** Of the answer; null without an answer. */
  status: number | null
  /** Why the attempt failed; null after a success. */
  error: string | null
  /** The start of the answer's body; null without an answer. */
  answer: string | null
}

/** A day of this millennium, counted from 1970-01-01. */
const day = integer(0, 400_000)

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'string')

/** The fields of a request that stores such a row. */
function givenTerms({ kind, target, settings, expires_at: expires, max_uses: uses }: RowOf<'deployment'>): GivenTerms {
  const aimed = target === null ? {} : { target }
  const options: unknown = JSON.parse(settings)
  switch (kind) {
    case 'form':
      return { ...aimed, form: options as GivenTerms['form'] & object }
    case 'webhook':
      return aimed
    case 'shortlink': {
      const expiry = expires === null ? null : timestamp(expires)
      return { ...aimed, shortlink: { ...(options as object), expires_at: expiry, max_uses: uses } }
    }
  }
}

const deployment: RowRule<'deployment'> = {
  columns: {
    id,
    account_id: id,
    kind: oneOf(deploymentKinds),
    slug: text(63),
    target: nullable(text(2048)),
    enabled: flag,
    uses: count,
    kept: count,
    settings: json(100_000, isObject),
    // The prefix and 32 bytes in base64.
    secret: nullable(text(50, /^whsec_[A-Za-z0-9+/]{43}=$/)),
    expires_at: nullable(time),
    max_uses: nullable(count),
    paused_until: nullable(time),
    created_at: time,
    updated_at: time,
  },
  request: (row) => ({
    operation: 'deployments.create',
    body: { kind: row.kind, slug: row.slug, enabled: row.enabled === 1, ...givenTerms(row) },
  }),
  check: (row) => {
    if (!isSlug(row.slug)) throw badRequest('slug', 'must be the last part of an address')
    const { target, settings, secret, expiresAt, maxUses } = checkTerms[row.kind](givenTerms(row))
    const stored = [row.target, JSON.parse(row.settings), row.secret !== null, row.expires_at, row.max_uses]
    if (!isDeepStrictEqual([target, JSON.parse(settings), secret !== null, expiresAt, maxUses], stored))
      throw badRequest('settings', 'and the target must be those of the kind, in canonical form')
  },
}

const deployment_slug: RowRule<'deployment_slug'> = {
  columns: { kind: oneOf(deploymentKinds), slug: text(63, /^[a-z0-9-]+$/), account_id: id },
}

const counts = { deployment_id: id, uses: count, failures: count }

const deployment_use_day: RowRule<'deployment_use_day'> = { columns: { ...counts, day } }

const deployment_use_hour: RowRule<'deployment_use_hour'> = {
  // Hours of this millennium.
  columns: { ...counts, slot: integer(0, hourSlots - 1), hour: integer(0, 9_600_000) },
  check: ({ slot, hour }) => {
    if (slot !== hour % hourSlots) throw badRequest('slot', `must be ${String(hour % hourSlots)}, that of the hour`)
  },
}

const form_submission: RowRule<'form_submission'> = {
  columns: {
    deployment_id: id,
    id,
    received_at: time,
    network: text(64),
    user_agent: text(65_536),
    subject: nullable(text(300)),
    size: count,
    fields: json(65_536, isObject),
  },
  check: ({ fields, size }) => {
    const values = Object.entries(JSON.parse(fields) as Record<string, unknown>)
    const pairs = values.flatMap(([name, value]) => [value].flat().map((one): Pair => [name, one as string]))
    if (!pairs.every(([, value]) => typeof value === 'string'))
      throw badRequest('fields', 'must be texts or lists of texts')
    const checked = fieldsToJson(toSubmission(pairs).fields)
    if (checked.size !== size) throw badRequest('size', `must be ${String(checked.size)}, the bytes of the fields`)
  },
}

const webhook_request: RowRule<'webhook_request'> = {
  columns: {
    deployment_id: id,
    id,
    received_at: time,
    method: text(64, /^[!#$%&'*+.^_`|~\w-]+$/),
    path: text(65_536),
    query: text(65_536),
    ip: text(64),
    content_type: nullable(text(200)),
    size: count,
    truncated: flag,
    headers: json(200_000, (value) => isTexts(value) && value.length % 2 === 0),
    body: bytes(262_144, 0),
  },
  check: ({ size, body }) => {
    if (size !== body.length) throw badRequest('size', `must be ${String(body.length)}, the bytes of the body`)
  },
}

const webhook_delivery: RowRule<'webhook_delivery'> = {
  columns: {
    deployment_id: id,
    request_id: id,
    account_id: id,
    host: text(300),
    state: oneOf(['waiting', 'delivered', 'failed']),
    due_at: nullable(time),
    attempts: count,
    last_status: nullable(integer(100, 999)),
    last_error: nullable(text(10_000)),
    recorded: count,
    failing_since: nullable(time),
    updated_at: time,
  },
  check: ({ state, due_at: dueAt }) => {
    if ((state === 'waiting') !== (dueAt !== null)) throw badRequest('due_at', 'must be set while the delivery waits')
  },
}

const webhook_attempt: RowRule<'webhook_attempt'> = {
  columns: {
    deployment_id: id,
    request_id: id,
    slot: integer(0, attemptsKept - 1),
    started_at: time,
    duration_ms: count,
    status: nullable(integer(100, 999)),
    error: nullable(text(10_000)),
    answer: nullable(text(answerMaxLength)),
  },
}

const ofDeployment = ofParent('deployment_id', 'deployment')

/** Slugs are unique among the deployments of a kind, deleted ones included. */
const slugs = {
  column: 'slug',
  kind: 'text',
  tables: ['deployment_slug'],
  within: { column: 'kind', values: deploymentKinds },
} as const

export const deploymentsTables = {
  tables: {
    deployment: {
      ...ofAccount,
      hasGeneratedId: true,
      rule: deployment,
      unique: {
        ...slugs,
        // Without the address: that of a webhook is its secret.
        ifTaken: ({ id, kind }) => ({
          columns: { slug: randomSlug(kind) },
          change: `The ${kind} ${String(id)} has a new address: its address is taken here.`,
        }),
      },
    },
    // Behind the deployments: an import gives those whose slugs are taken other ones.
    deployment_slug: {
      ...ofAccount,
      rule: deployment_slug,
      // Of a deleted deployment: the account could not use it here.
      unique: { ...slugs, ifTaken: () => ({ columns: undefined }) },
    },
    deployment_use_day: { ...ofDeployment, rule: deployment_use_day },
    deployment_use_hour: { ...ofDeployment, rule: deployment_use_hour },
    deployment_deleted: ofInstallation('what is left of deleted deployments, which a job removes'),
    form_submission: { ...ofDeployment, rule: form_submission },
    webhook_request: { ...ofDeployment, rule: webhook_request },
    webhook_delivery: {
      ...ofDeployment,
      references: { deployment_id: 'deployment', account_id: 'account' },
      rule: webhook_delivery,
    },
    webhook_attempt: { ...ofDeployment, rule: webhook_attempt },
  },
  removePart: removeDeploymentsPart,
  afterImport: (tx, accountId) => {
    reserveExistingSlugs(tx, accountId)
    noteChange(tx, 'deployments')
  },
} satisfies AreaTables

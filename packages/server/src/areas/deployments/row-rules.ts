import { isDeepStrictEqual } from 'node:util'
import { deploymentKinds } from '@svc/contract'
import { badRequest } from '@svc/contract/errors'
import { bytes, count, flag, id, integer, json, nullable, oneOf, text, time } from '../../db/columns.js'
import type { RowOf, RowRule } from '../../db/row-rules.js'
import { timestamp } from '../../shared/timestamp.js'
import type { GivenTerms } from './deployment.js'
import { fieldsToJson, toSubmission, type Pair } from './forms/fields.js'
import { checkTerms } from './kinds.js'
import { isSlug } from './slug.js'

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
    ...{
      id,
      account_id: id,
      kind: oneOf(deploymentKinds),
      slug: text(63),
      target: nullable(text(2048)),
      enabled: flag,
    },
    ...{ uses: count, kept: count, settings: json(100_000, isObject) },
    // The prefix and 32 bytes in base64.
    ...{
      secret: nullable(text(50, /^whsec_[A-Za-z0-9+/]{43}=$/)),
      expires_at: nullable(time),
      max_uses: nullable(count),
      paused_until: nullable(time),
    },
    ...{ created_at: time, updated_at: time },
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

const deployment_use_day: RowRule<'deployment_use_day'> = { columns: { deployment_id: id, day, uses: count } }

const form_submission: RowRule<'form_submission'> = {
  columns: {
    ...{ deployment_id: id, id, received_at: time, network: text(64), user_agent: text(65_536) },
    ...{ subject: nullable(text(300)), size: count, fields: json(65_536, isObject) },
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
    ...{ deployment_id: id, id, received_at: time, method: text(64, /^[!#$%&'*+.^_`|~\w-]+$/), path: text(65_536) },
    ...{ query: text(65_536), ip: text(64), content_type: nullable(text(200)), size: count, truncated: flag },
    ...{ headers: json(200_000, (value) => isTexts(value) && value.length % 2 === 0), body: bytes(262_144, 0) },
  },
  check: ({ size, body }) => {
    if (size !== body.length) throw badRequest('size', `must be ${String(body.length)}, the bytes of the body`)
  },
}

const webhook_delivery: RowRule<'webhook_delivery'> = {
  columns: {
    ...{ deployment_id: id, request_id: id, account_id: id, host: text(300) },
    ...{ state: oneOf(['waiting', 'delivered', 'failed']), due_at: nullable(time), attempts: count },
    ...{ last_status: nullable(integer(100, 999)), last_error: nullable(text(10_000)), updated_at: time },
  },
  check: ({ state, due_at: dueAt }) => {
    if ((state === 'waiting') !== (dueAt !== null)) throw badRequest('due_at', 'must be set while the delivery waits')
  },
}

export const deploymentsRowRules = {
  ...{ deployment, deployment_slug, deployment_use_day, form_submission, webhook_request, webhook_delivery },
}

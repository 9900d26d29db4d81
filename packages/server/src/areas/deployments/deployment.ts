import type { Areas, DeploymentKind, Input } from '@svc/contract'
import type { Tables } from '../../db/tables.js'
import type { Failing } from './webhooks/failing-store.js'

/** What the kind of a deployment decides. */
export interface Terms {
  /** An absolute URL of http or https; null for a deployment that neither redirects nor forwards. */
  readonly target: string | null
  /** JSON object: the options of its kind. */
  readonly settings: string
  /** Signs what a webhook forwards; null for the other kinds. */
  readonly secret: string | null
  /** Milliseconds since the epoch; null without a limit. */
  readonly expiresAt: number | null
  /** Null without a limit. */
  readonly maxUses: number | null
}

/** A form, a webhook or a short link. Times are milliseconds since the epoch. */
export interface Deployment extends Terms {
  readonly id: number
  readonly accountId: number
  readonly kind: DeploymentKind
  /** Last part of its address. */
  readonly slug: string
  readonly isEnabled: boolean
  readonly uses: number
  /** How many submissions or requests are stored. */
  readonly kept: number
  readonly createdAt: number
  readonly updatedAt: number
}

/** What lists show of a deployment. */
export type ListedDeployment = Pick<Deployment, 'id' | 'kind' | 'slug' | 'target' | 'isEnabled' | 'uses' | 'createdAt'>

/** The same with the deliveries of a webhook that fail; null if none does. */
export type DeploymentWithHealth = ListedDeployment & { readonly failing: Failing | null }

/** The fields of a request that the kind reads. Missing fields do not change. */
export type GivenTerms = Omit<Input<Areas['deployments']['update']>['body'], 'id'>

/**
 * Checks the given fields and adds them to those of before, or to the defaults.
 * @throws ApiError `bad_request` for a value that is not accepted, and for a field of another kind
 */
export type CheckTerms = (given: GivenTerms, before?: Terms) => Terms

export const deploymentColumns = [
  'id',
  'account_id',
  'kind',
  'slug',
  'target',
  'enabled',
  'uses',
  'kept',
  'settings',
  'secret',
  'expires_at',
  'max_uses',
  'created_at',
  'updated_at',
] as const

type DeploymentRow = Omit<Tables['deployment'], 'id' | 'paused_until'> & { readonly id: number }

export const toDeployment = (row: DeploymentRow): Deployment => ({
  id: row.id,
  accountId: row.account_id,
  kind: row.kind,
  slug: row.slug,
  target: row.target,
  isEnabled: row.enabled === 1,
  uses: row.uses,
  kept: row.kept,
  settings: row.settings,
  secret: row.secret,
  expiresAt: row.expires_at,
  maxUses: row.max_uses,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

import type { DeploymentKind } from '@svc/contract'
import type { Generated } from 'kysely'

/** The tables of forms, webhooks and short links, without what webhooks receive (see `Tables`). */
export interface DeploymentTables {
  deployment: DeploymentTable
  deployment_slug: DeploymentSlugTable
  deployment_use_day: DeploymentUseDayTable
  deployment_deleted: DeploymentDeletedTable
  form_submission: FormSubmissionTable
}

/** A form, a webhook or a short link. */
export interface DeploymentTable {
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
export interface DeploymentUseDayTable {
  deployment_id: number
  /** Number of the day since 1970-01-01, in UTC. */
  day: number
  uses: number
}

/** A deleted deployment whose submissions or requests are not all removed. */
export interface DeploymentDeletedTable {
  deployment_id: number
}

/** A submission of a form. */
export interface FormSubmissionTable {
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

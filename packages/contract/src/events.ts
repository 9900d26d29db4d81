/**
 * The events of an account: what was done, and with which fields. An entry point without schemas (`@svc/contract/events`), for the code
 * that writes them.
 */

/** Every action, by its area. Those of `dns` that begin with `zone_` are changes of zones, which the zone's history has in full. */
export const eventActions = {
  account: [
    'account_create',
    'sign_in',
    'sign_in_fail',
    'sign_out',
    'session_revoke',
    'sessions_revoke',
    'password_change',
    'password_reset',
    'email_change',
    'nickname_change',
    'state_change',
    'limits_change',
    'notices_change',
    'account_export',
    'account_import',
    'token_create',
    'token_change',
    'token_rotate',
    'token_revoke',
    'tokens_revoke',
    'token_network',
    'webhook_create',
    'webhook_change',
    'webhook_delete',
    'webhook_test',
  ],
  dns: [
    'zone_change',
    'zone_claim',
    'zone_release',
    'zone_lost',
    'zone_delete',
    'claim_request',
    'claim_withdraw',
    'secondary_add',
    'secondary_prove',
    'secondary_remove',
  ],
  files: ['file_upload', 'file_change', 'file_share', 'file_unshare', 'file_delete'],
  cdn: ['copies_purge', 'serving_change'],
  sites: ['site_create', 'site_deploy', 'site_restore', 'site_delete', 'domain_add', 'domain_remove', 'domain_lost'],
  packages: ['package_create', 'version_publish', 'package_change', 'package_delete'],
  deployments: [
    'deployment_create',
    'deployment_change',
    'deployment_delete',
    'secret_rotate',
    'submissions_delete',
    'requests_redeliver',
  ],
  sms: ['key_create', 'key_change', 'key_revoke', 'messages_delete'],
  cred: ['credential_create', 'credential_change', 'credential_delete', 'credential_read'],
  domains: ['domain_add', 'domain_change', 'domain_remove', 'calendar_create', 'calendar_delete'],
  tls: [
    'certificate_order',
    'renewal_request',
    'certificate_delete',
    'certificate_issue',
    'certificate_renew',
    'certificate_import',
    'certificate_fail',
    'key_download',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>

type EventActions = typeof eventActions

/** The areas with events. */
export type EventArea = keyof EventActions
export type EventAction<Area extends EventArea = EventArea> = EventActions[Area][number]

export const eventAreas = Object.keys(eventActions) as readonly EventArea[]

/**
 * The fields that an event may show, before and after it. None of them is a secret or holds one: values of tokens, passwords, keys,
 * credentials, records of visitors and contents are never in an event.
 */
export const eventFields = [
  'name',
  'email',
  'nickname',
  'scopes',
  'rules',
  'networks',
  'expires_at',
  'unused_days',
  'paused',
  'update_key',
  'count',
  'user_agent',
  'state',
  // Of accounts and their tokens.
  'network',
  'plan',
  'limits',
  // Of keys that sign DNS messages.
  'algorithm',
  // Of credentials: `changed` names fields whose values an event does not have.
  'id',
  'label',
  'platform',
  'changed',
  // Of domains and certificates.
  'domains',
  'not_after',
  'error',
  // Of files, and how the edge serves them.
  'media_type',
  'size',
  'shared',
  'serving',
  'edge_ttl',
  // Of sites and their own domains.
  'version',
  'files',
  'host',
  // Of packages.
  'description',
  'artifacts',
  'versions',
  // Of deployments.
  'kind',
  'enabled',
  'target',
  'next_urls',
  'origins',
  'status',
  'forward_query',
  'max_uses',
  // Of forwarder keys.
  'has_signing_key',
] as const

export type EventField = (typeof eventFields)[number]

/** The most events of an account that are kept; the oldest ones go first. */
export const eventsOfAccountMax = 100_000

/** Behind those, the most events of the area `account` that are kept: many events of other areas do not displace them. */
export const olderAccountEventsMax = 10_000

/** The length of an object and of a text of a field, in UTF-16 units; longer ones are cut. */
export const eventTextMaxLength = 255

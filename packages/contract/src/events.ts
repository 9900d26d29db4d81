/**
 * The events of an account: what was done, and with which fields. An entry point without schemas (`@svc/contract/events`), for the code
 * that writes them.
 */

/** Every action, by its area. Those of `dns` that begin with `zone_` are changes of zones, which the zone's history has in full. */
export const eventActions = {
  account: [
    'sign_in',
    'sign_out',
    'session_revoke',
    'sessions_revoke',
    'password_change',
    'email_change',
    'nickname_change',
    'state_change',
    'limits_change',
    'token_create',
    'token_change',
    'token_rotate',
    'token_revoke',
    'tokens_revoke',
    'token_network',
  ],
  dns: ['zone_change', 'zone_claim', 'zone_release', 'zone_lost', 'zone_delete', 'claim_request', 'claim_withdraw'],
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
  'count',
  'user_agent',
  'state',
  'id',
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
  'label',
  'has_signing_key',
] as const

export type EventField = (typeof eventFields)[number]

/** The length of an object and of a text of a field, in UTF-16 units; longer ones are cut. */
export const eventTextMaxLength = 255

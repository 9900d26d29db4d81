import type { EventAction, EventArea } from '@svc/contract/events'
import { browserName } from '../../parts/browser-name.js'
import { counted } from '../../parts/format.js'
import type { AccountEvent } from './queries.js'
import { say, thing, who, type Sentence } from './sentence.js'

/** What the events of the account say, by area and action. */

/** The fields after an event; of a thing that is gone, those before it. */
type Fields = Readonly<Record<string, unknown>>

/** @param object empty if the event is about no single thing */
type EventText = Sentence | ((fields: Fields, object: string) => Sentence)

/** @returns empty for a field that is missing or is no text */
const textOf = (fields: Fields, name: string): string => {
  const value = fields[name]
  return typeof value === 'string' ? value : ''
}

/** @returns 1 for a field that is missing */
const countOf = (fields: Fields, name = 'count'): number => {
  const value = fields[name]
  return typeof value === 'number' ? value : 1
}

const kinds: Readonly<Record<string, string>> = { form: 'form', webhook: 'webhook', shortlink: 'short link' }
const kindOf = (fields: Fields): string => kinds[textOf(fields, 'kind')] ?? 'form or link'

const texts = {
  account: {
    account_create: say`${who} created the account`,
    account_export: say`${who} exported the account`,
    account_import: say`${who} imported the account`,
    sign_in: (fields) => {
      const browser = textOf(fields, 'user_agent')
      return browser === '' ? say`${who} signed in` : say`${who} signed in with ${browserName(browser)}`
    },
    sign_in_fail: (fields) =>
      countOf(fields) === 1 ? say`A sign-in failed` : say`${counted(countOf(fields), 'sign-in')} failed`,
    sign_out: say`${who} signed out`,
    session_revoke: say`${who} signed out another browser`,
    sessions_revoke: (fields) => say`${who} signed out ${counted(countOf(fields), 'browser')}`,
    password_change: say`${who} changed the password`,
    password_reset: say`The password was reset with the link in an e-mail`,
    email_change: (fields) => say`${who} changed the email to ${textOf(fields, 'email')}`,
    nickname_change: (fields) => {
      const name = textOf(fields, 'nickname')
      return name === '' ? say`${who} removed the display name` : say`${who} changed the display name to ${name}`
    },
    state_change: (fields) => say`${who} changed the state of the account to ${textOf(fields, 'state')}`,
    limits_change: say`${who} changed the limits of the account`,
    notices_change: say`${who} changed which e-mails are sent`,
    token_create: say`${who} created the API key ${thing}`,
    token_change: say`${who} changed the API key ${thing}`,
    token_rotate: say`${who} replaced the value of the API key ${thing}`,
    token_revoke: say`${who} revoked the API key ${thing}`,
    tokens_revoke: (fields) => say`${who} revoked ${counted(countOf(fields), 'API key')}`,
    token_network: say`The API key ${thing} was used from a new network`,
    webhook_create: say`${who} added the webhook ${thing}, which gets events`,
    webhook_change: say`${who} changed the webhook ${thing}, which gets events`,
    webhook_delete: say`${who} deleted the webhook ${thing}, which got events`,
    webhook_test: say`${who} sent a test to the webhook ${thing}`,
  },
  dns: {
    zone_change: say`${who} changed the zone ${thing}`,
    zone_claim: say`${who} claimed the zone ${thing}`,
    zone_release: say`${who} released the zone ${thing}`,
    zone_lost: say`Another account took over the zone ${thing}`,
    zone_delete: say`${who} deleted the zone ${thing}`,
    claim_request: say`${who} asked for the zone ${thing}`,
    claim_withdraw: say`${who} withdrew the claim on the zone ${thing}`,
    secondary_add: say`${who} added the secondary nameserver ${thing}`,
    secondary_prove: say`The secondary nameserver ${thing} proved its address with ${who}`,
    secondary_remove: say`${who} removed the secondary nameserver ${thing}`,
  },
  files: {
    file_upload: say`${who} uploaded the file ${thing}`,
    file_change: say`${who} changed the file ${thing}`,
    file_share: say`${who} shared the file ${thing}`,
    file_unshare: say`${who} ended the share link of the file ${thing}`,
    file_delete: say`${who} deleted the file ${thing}`,
  },
  cdn: {
    copies_purge: say`${who} purged the copies of ${thing} at the edge`,
    serving_change: say`${who} changed how the edge serves ${thing}`,
  },
  sites: {
    site_create: say`${who} created the site ${thing}`,
    site_deploy: say`${who} deployed the site ${thing}`,
    site_restore: say`${who} went back to an earlier version of the site ${thing}`,
    site_delete: say`${who} deleted the site ${thing}`,
    domain_add: (fields) => say`${who} added the domain ${textOf(fields, 'host')} to the site ${thing}`,
    domain_remove: (fields) => say`${who} removed the domain ${textOf(fields, 'host')} from the site ${thing}`,
    domain_lost: (fields) => say`The site ${thing} lost the domain ${textOf(fields, 'host')}`,
  },
  packages: {
    package_create: say`${who} created the package ${thing}`,
    version_publish: (fields) => say`${who} published version ${textOf(fields, 'version')} of the package ${thing}`,
    package_change: say`${who} changed the package ${thing}`,
    package_delete: say`${who} deleted the package ${thing}`,
  },
  deployments: {
    deployment_create: (fields) => say`${who} created the ${kindOf(fields)} ${thing}`,
    deployment_change: (fields) => say`${who} changed the ${kindOf(fields)} ${thing}`,
    deployment_delete: (fields) => say`${who} deleted the ${kindOf(fields)} ${thing}`,
    secret_rotate: say`${who} replaced the signing secret of the webhook ${thing}`,
    submissions_delete: (fields) => say`${who} deleted ${counted(countOf(fields), 'submission')} of the form ${thing}`,
    requests_redeliver: (fields) =>
      say`${who} forwarded ${counted(countOf(fields), 'request')} of the webhook ${thing} again`,
  },
  sms: {
    key_create: say`${who} created the forwarder key ${thing}`,
    key_change: say`${who} changed the forwarder key ${thing}`,
    key_revoke: say`${who} revoked the forwarder key ${thing}`,
    messages_delete: (fields) => say`${who} deleted ${counted(countOf(fields), 'message')}`,
  },
  cred: {
    credential_create: say`${who} stored a credential of ${thing}`,
    credential_change: say`${who} changed a credential of ${thing}`,
    credential_delete: say`${who} deleted a credential of ${thing}`,
    credential_read: (fields, object) => {
      const read = counted(countOf(fields), 'credential')
      return object === '' ? say`${who} read ${read}` : say`${who} read ${read} of ${thing}`
    },
  },
  domains: {
    domain_add: (fields) =>
      'count' in fields
        ? say`${who} added ${counted(countOf(fields), 'domain')}`
        : say`${who} added the domain ${thing}`,
    domain_change: say`${who} changed the note of the domain ${thing}`,
    domain_remove: say`${who} removed the domain ${thing}`,
    calendar_create: say`${who} created an address of the calendar`,
    calendar_delete: say`${who} removed the address of the calendar`,
  },
  tls: {
    certificate_order: say`${who} ordered a certificate for ${thing}`,
    renewal_request: say`${who} ordered the certificate of ${thing} again`,
    certificate_delete: say`${who} deleted the certificate of ${thing}`,
    certificate_issue: say`The certificate of ${thing} was issued`,
    certificate_renew: say`The certificate of ${thing} was renewed`,
    certificate_import: say`${who} imported a certificate of ${thing}`,
    certificate_fail: say`The certificate of ${thing} could not be ordered`,
    key_download: say`${who} downloaded the certificate of ${thing} with its key`,
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, EventText>>>>

/** Every action of the contract has a text, or this does not compile. */
type EveryText = { readonly [Area in EventArea]: Readonly<Record<EventAction<Area>, EventText>> }
const known: EveryText = texts

/** Of a newer server: its area and its action in their own words. */
const unknownText = ({ area, action, object }: Pick<AccountEvent, 'area' | 'action' | 'object'>): Sentence =>
  object === '' ? say`${who}: ${words(action)} (${area})` : say`${who}: ${words(action)}, ${thing} (${area})`

const words = (action: string): string => action.replaceAll('_', ' ')

/** What an event says. Its places are those of `sentence.ts`. */
export function sentenceOf(event: Pick<AccountEvent, 'area' | 'action' | 'object' | 'before' | 'after'>): Sentence {
  const { area, action, before, after } = event
  // Not an index: a newer server may have an action with the name of a property of all objects.
  const ofArea = new Map<string, Readonly<Record<string, EventText>>>(Object.entries(known)).get(area)
  const text = new Map<string, EventText>(Object.entries(ofArea ?? {})).get(action)
  if (text === undefined) return unknownText(event)
  return typeof text === 'function' ? text({ ...before, ...after }, event.object) : text
}

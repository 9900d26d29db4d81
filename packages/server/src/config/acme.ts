import type { ExternalAccount } from '../ports/certificates/acme/jws.js'
import { mailbox } from './dns.js'
import { fetchableUrl, oneOf, text } from './parsers.js'
import { InvalidSetting, optional, setting, type Values } from './setting.js'

/** A MAC key in base64url, as CAs give it out. */
function macKey(given: string): Buffer {
  const key = Buffer.from(given, 'base64url')
  if (key.length < 16 || key.toString('base64url') !== given.replaceAll('=', ''))
    throw new InvalidSetting('must be a key in base64url, as the CA gave it out')
  return key
}

/** @param rule the end of a message */
const matching =
  (form: RegExp, rule: string) =>
  (given: string): string => {
    if (!form.test(given)) throw new InvalidSetting(rule)
    return given
  }

const keyId = matching(/^[!-~]{1,256}$/, 'must be a key id without blanks, as the CA gave it out')
const profileName = matching(/^[\w.-]{1,64}$/, 'must be the name of a profile, such as shortlived')

export const acmeSettings = {
  isOn: setting('SVC_ACME', "on orders certificates by ACME, and agrees to the CA's terms of service", {
    type: text('<mode>', oneOf(['on', 'off'])),
    default: 'off',
  }),
  url: setting('SVC_ACME_URL', 'The ACME directory of the CA; its server may have a private address', {
    type: text('<url>', fetchableUrl),
    default: 'https://acme-v02.api.letsencrypt.org/directory',
  }),
  email: optional('SVC_ACME_EMAIL', 'Where the CA writes about the certificates', {
    type: text('<email>', mailbox),
    default: 'none',
  }),
  profile: optional('SVC_ACME_PROFILE', 'A profile of the CA, such as shortlived', {
    type: text('<name>', profileName),
    default: "the CA's default",
  }),
  externalKeyId: optional('SVC_ACME_EAB_KEY_ID', 'The key id of the external account binding that some CAs need', {
    type: text('<id>', keyId),
    default: 'none',
  }),
  externalKey: optional('SVC_ACME_EAB_KEY', 'The MAC key of the external account binding', {
    type: text('<key>', macKey),
    default: 'none',
    secret: true,
  }),
}

/** How svc orders certificates. */
export interface AcmeConfig {
  readonly directoryUrl: string
  readonly email: string | undefined
  readonly profile: string | undefined
  readonly externalAccount: ExternalAccount | undefined
}

/** @param refuse reports settings that do not fit together @returns undefined if svc orders no certificates */
export function acmeOf(
  { isOn, url, email, profile, externalKeyId: kid, externalKey: key }: Values<typeof acmeSettings>,
  refuse: (problem: string) => void,
): AcmeConfig | undefined {
  if ((kid === undefined) !== (key === undefined))
    refuse('SVC_ACME_EAB_KEY_ID and SVC_ACME_EAB_KEY belong together: set both or none.')
  if (isOn === 'off') return undefined
  const externalAccount = kid === undefined || key === undefined ? undefined : { kid, key }
  return { directoryUrl: url, email, profile, externalAccount }
}

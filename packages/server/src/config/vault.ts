import { MasterKey } from '../shared/master-key.js'
import { unpagedListCap } from './parsers.js'
import { InvalidSetting, optional, setting } from './setting.js'

/** A master key in hexadecimal digits. */
function masterKey(text: string): MasterKey {
  const key = MasterKey.parse(text)
  if (key === undefined)
    throw new InvalidSetting('must be 64 hexadecimal digits, such as the output of openssl rand -hex 32')
  return key
}

/** The key of stored secrets, and how many of them an account has. */
export const vaultSettings = {
  masterKey: optional({
    env: 'SVC_MASTER_KEY',
    placeholder: '<key>',
    description:
      'The key of stored secrets, 64 hexadecimal digits; prefer the environment, because other users of the machine can see flags',
    shownDefault: '<data directory>/master.key',
    secret: true,
    parse: masterKey,
  }),
  credentialsMax: setting({
    env: 'SVC_CREDENTIALS_MAX',
    placeholder: '<number>',
    description: 'The most stored credentials of an account',
    default: '1000',
    parse: unpagedListCap,
  }),
} as const

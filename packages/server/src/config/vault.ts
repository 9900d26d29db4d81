import { MasterKey } from '../shared/master-key.js'
import { wholeNumber } from './parsers.js'
import { InvalidSetting } from './setting.js'

/** A master key in hexadecimal digits. */
export function masterKey(text: string): MasterKey {
  const key = MasterKey.parse(text)
  if (key === undefined)
    throw new InvalidSetting('must be 64 hexadecimal digits, such as the output of openssl rand -hex 32')
  return key
}

/** The most credentials of an account: a list has no pages. */
export const credentialCap = wholeNumber(1, 10_000)

import { Option } from 'commander'
import type { ShownKey } from '@svc/server'
import { jsonText, printSecret } from './output.js'

export const algorithmOption = (): Option =>
  new Option('--algorithm <name>', 'hmac-sha256 or hmac-sha512; the key has no other').default(undefined, 'hmac-sha256')

/** Prints a new key: as JSON, or in the form of `nsupdate -y` and `dig -y`. */
export const printKey = ({ name, algorithm, secret }: ShownKey, asJson: true | undefined): Promise<void> =>
  printSecret(asJson ? jsonText({ name, algorithm, secret }) : `${algorithm}:${name}:${secret}\n`)

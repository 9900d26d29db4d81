import { MasterKey } from '../src/shared/master-key.js'
import type { Row } from './dns-settings.js'

const keyForm = 'must be 64 hexadecimal digits, such as the output of openssl rand -hex 32.'
const digits = '0a'.repeat(32)

/** The settings of stored secrets, in the table of all settings. */
export const vaultRows: readonly Row[] = [
  {
    env: 'SVC_MASTER_KEY',
    good: [digits, digits.toUpperCase()].map(
      (text) => [text, ({ vault }) => vault.kind === 'setting' && vault.key.id, MasterKey.parse(digits)?.id] as const,
    ),
    // The value is a secret: the messages do not show it.
    bad: [digits.slice(1), `${digits}0`, `${digits.slice(1)}g`, ` ${digits}`, 'hunter2'].map(
      (text) => [text, keyForm] as const,
    ),
  },
  {
    env: 'SVC_CREDENTIALS_MAX',
    good: [
      ['1', ({ credentialsMax }) => credentialsMax, 1],
      ['10000', ({ credentialsMax }) => credentialsMax, 10_000],
    ],
    bad: ['0', '-1', '10001', '1.5', 'many'].map(
      (text) => [text, `is "${text}" but must be a whole number, 1 to 10000.`] as const,
    ),
  },
]

import type { Config } from '../src/config/config.js'
import type { Row } from './dns-settings.js'

const acme = ({ acme: values }: Config) => values

/** The settings of ACME, in the table of all settings. `SVC_ACME=on` needs others beside it: `config/acme.test.ts`. */
export const acmeRows: readonly Row[] = [
  { env: 'SVC_ACME', good: [['off', acme, undefined]], bad: [['yes', 'is "yes" but must be one of on, off.']] },
  {
    env: 'SVC_ACME_URL',
    good: [['https://ca.test/dir', acme, undefined]],
    bad: [['ca.test', 'is "ca.test" but must be an http or https URL without user and password.']],
  },
  {
    env: 'SVC_ACME_EMAIL',
    good: [['ada@example.com', acme, undefined]],
    bad: [
      [
        'ada',
        'is "ada" but must be an email address such as hostmaster@example.com, with at most 63 letters, digits and . _ + - before the @.',
      ],
    ],
  },
  {
    env: 'SVC_ACME_PROFILE',
    good: [['shortlived', acme, undefined]],
    bad: [['short lived', 'is "short lived" but must be the name of a profile, such as shortlived.']],
  },
  {
    env: 'SVC_ACME_EAB_KEY_ID',
    good: [],
    bad: [['key 1', 'is "key 1" but must be a key id without blanks, as the CA gave it out.']],
  },
  {
    env: 'SVC_ACME_EAB_KEY',
    good: [],
    bad: [
      ['hunter2', 'must be a key in base64url, as the CA gave it out.'],
      ['not base64url, but long enough!', 'must be a key in base64url, as the CA gave it out.'],
    ],
  },
]

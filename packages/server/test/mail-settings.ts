import type { Row } from './dns-settings.js'

const urlForm =
  'must be smtp://<user>:<password>@<host>:<port> or smtps://<user>:<password>@<host>:<port>, with ?starttls=required or ?starttls=off behind the host if needed.'
const addressForm =
  'must be an email address such as hostmaster@example.com, with at most 63 letters, digits and . _ + - before the @.'

/** The settings of e-mail that are wrong alone. Together: `config/mail.test.ts`. */
export const mailRows: readonly Row[] = [
  {
    env: 'SVC_SMTP_URL',
    good: [],
    bad: [
      ['mail.example.com', urlForm],
      ['http://u:hunter2@mail.example.com', urlForm],
      ['smtp://', urlForm],
      ['smtp://u:hunter2@mail.example.com/inbox', urlForm],
      ['smtp://u:hunter2@mail_1.example.com', urlForm],
      ['smtp://u:hunter2@mail.example.com?starttls=maybe', urlForm],
      ['smtp://u@mail.example.com', 'must have a user and a password, or neither.'],
      ['smtp://u:hunter%2@mail.example.com', 'must have % in the user and the password as %25.'],
      ['smtps://mail.example.com?starttls=off', 'must not have ?starttls: smtps:// has TLS from the start.'],
    ],
  },
  {
    env: 'SVC_MAIL_FROM',
    good: [],
    bad: [
      ['svc', `is "svc" but ${addressForm}`],
      ['svc@example.com, root@example.com', `is "svc@example.com, root@example.com" but ${addressForm}`],
      ['Example <svc@example.com', `is "Example <svc@example.com" but ${addressForm}`],
      [
        'Ex\u0007ample <svc@example.com>',
        'is "Ex\\u0007ample <svc@example.com>" but must have a name of at most 64 visible characters before the address.',
      ],
    ],
  },
  {
    env: 'SVC_PASSWORD_RESET',
    good: [['off', ({ passwordReset }) => passwordReset, false]],
    bad: [['yes', 'is "yes" but must be one of on, off.']],
  },
]

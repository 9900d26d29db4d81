import type { Row } from '../dns-settings.js'

/** The settings of SMS messages, in the table of all settings. */
export const smsRows: readonly Row[] = [
  {
    env: 'SVC_SMS_RETENTION_DAYS',
    good: [
      ['0', ({ sms }) => sms.retentionDays, 0],
      ['36500', ({ sms }) => sms.retentionDays, 36_500],
    ],
    bad: ['-1', '36501', '1.5', 'forever'].map(
      (text) => [text, `is "${text}" but must be a whole number, 0 to 36500.`] as const,
    ),
  },
  {
    env: 'SVC_SMS_MESSAGES_MAX',
    good: [
      ['0', ({ sms }) => sms.messagesMax, 0],
      ['999999999', ({ sms }) => sms.messagesMax, 999_999_999],
    ],
    bad: ['-1', '1000000000', '1e5', 'many'].map(
      (text) => [text, `is "${text}" but must be a whole number, 0 to 999999999.`] as const,
    ),
  },
]

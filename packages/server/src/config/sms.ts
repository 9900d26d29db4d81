import { wholeNumber } from './parsers.js'
import { setting } from './setting.js'

/** Which SMS messages are kept. */
export const smsSettings = {
  smsRetentionDays: setting({
    env: 'SVC_SMS_RETENTION_DAYS',
    placeholder: '<days>',
    description: 'Days to keep SMS messages; 0 for no limit',
    default: '365',
    parse: wholeNumber(0, 36_500),
  }),
  smsMessagesMax: setting({
    env: 'SVC_SMS_MESSAGES_MAX',
    placeholder: '<number>',
    description: 'Maximum number of SMS messages of an account; the oldest are removed; 0 for no limit',
    default: '100000',
    parse: wholeNumber(0, 999_999_999),
  }),
} as const

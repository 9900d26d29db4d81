import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { gatewayCommand, kannelConfiguration, smsForwarderTemplate } from './app-texts.js'

const document = readFileSync(new URL('../../../../../docs/sms.md', import.meta.url), 'utf8')
const address = 'https://svc.example.com/sms/<key>'

it.each([
  ['the template of SmsForwarder', smsForwarderTemplate],
  ['the command of SMS Gateway for Android', gatewayCommand(address)],
  ['the configuration of Kannel', kannelConfiguration(address)],
])('%s is that of docs/sms.md', (_, text) => {
  expect(document).toContain(`\n${text}\n`)
})

import { Anchor, Box, Code, List, Text } from '@mantine/core'
import type { ComponentType, ReactNode } from 'react'
import { CopyIcon } from '../../parts/copy.js'
import { gatewayCommand, kannelConfiguration, smsForwarderTemplate } from './app-texts.js'

interface PhoneApp {
  readonly id: string
  readonly name: string
  /** Whether the user enters the address in the app itself, so that a QR code helps. */
  readonly scansAddress: boolean
  readonly Steps: ComponentType<{ readonly address: string }>
  /** What a signing key means for this app. */
  readonly signature: ReactNode
}

function SmsForwarderSteps() {
  return (
    <>
      <List type="ordered" size="sm" spacing="xs">
        <List.Item>
          In <Outside to="https://github.com/pppscn/SmsForwarder">SmsForwarder</Outside>, add a sender of the type{' '}
          <b>Webhook</b>.
        </List.Item>
        <List.Item>
          Set the method to <b>POST</b> and the webhook server to the address.
        </List.Item>
        <List.Item>Use this message template, or leave it empty:</List.Item>
      </List>
      <Block text={smsForwarderTemplate} what="the template" />
      <List type="ordered" start={4} size="sm">
        <List.Item>Add a forwarding rule that sends all messages to this sender.</List.Item>
      </List>
    </>
  )
}

function GatewaySteps({ address }: { readonly address: string }) {
  return (
    <>
      <Text size="sm">
        <Outside to="https://docs.sms-gate.app/features/webhooks/">SMS Gateway for Android</Outside> has no input field
        for the address. Register it once with this command. The home screen of the app shows the user name, the
        password and the address of the phone:
      </Text>
      <Block text={gatewayCommand(address)} what="the command" />
      <Text size="sm">
        In cloud mode, send it to <Code>https://api.sms-gate.app/3rdparty/v1/webhooks</Code> instead.
      </Text>
    </>
  )
}

function UrlForwarderSteps() {
  return (
    <List type="ordered" size="sm" spacing="xs">
      <List.Item>
        In{' '}
        <Outside to="https://github.com/bogkonstantin/android_income_sms_gateway_webhook">
          Incoming SMS to URL forwarder
        </Outside>
        , add a rule.
      </List.Item>
      <List.Item>
        Set the sender to <Code>*</Code> for all messages, and the URL to the address.
      </List.Item>
      <List.Item>Leave the JSON template and the headers unchanged.</List.Item>
      <List.Item>
        Press <b>Test</b> in the app: its message appears here.
      </List.Item>
    </List>
  )
}

function KannelSteps({ address }: { readonly address: string }) {
  return (
    <>
      <Text size="sm">
        Add this to the configuration of Kannel. <Code>max-messages = 0</Code> is needed: otherwise Kannel sends the
        answer back as an SMS.
      </Text>
      <Block text={kannelConfiguration(address)} what="the configuration" />
    </>
  )
}

/** The apps that can forward messages, as docs/sms.md documents them. */
export const apps: readonly [PhoneApp, ...PhoneApp[]] = [
  {
    id: 'sms-forwarder',
    name: 'SmsForwarder',
    scansAddress: true,
    Steps: SmsForwarderSteps,
    signature: 'Enter the signing key as the secret of the sender.',
  },
  {
    id: 'sms-gateway',
    name: 'SMS Gateway for Android',
    scansAddress: false,
    Steps: GatewaySteps,
    signature: 'The signing key must be the one of the app, under Settings, Webhooks, Signing Key.',
  },
  {
    id: 'url-forwarder',
    name: 'Incoming SMS to URL forwarder',
    scansAddress: true,
    Steps: UrlForwarderSteps,
    signature: 'Turn on Sign with HMAC-SHA-256, and enter the signing key.',
  },
  {
    id: 'kannel',
    name: 'Kannel (an SMS gateway, not an app)',
    scansAddress: false,
    Steps: KannelSteps,
    signature: 'Kannel cannot sign: this key refuses its messages. Remove the signing key.',
  },
]

/** A page of the app's authors, in a new tab. */
function Outside({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  return (
    <Anchor href={to} target="_blank" rel="noreferrer" underline="always" size="sm">
      {children}
    </Anchor>
  )
}

function Block({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <Box pos="relative">
      <Code block pr={40} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {text}
      </Code>
      <Box pos="absolute" top={4} right={4}>
        <CopyIcon value={text} what={what} />
      </Box>
    </Box>
  )
}

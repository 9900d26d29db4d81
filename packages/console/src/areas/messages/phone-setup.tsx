import { Alert, Code, Group, Loader, NativeSelect, Stack, Text } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { smsIntakePath } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { serverUrl } from '../../parts/api/base.js'
import { SecretOnce } from '../../parts/secret-once.js'
import { QrCode } from '../../parts/qr-code.js'
import { apps } from './apps.js'
import { newestQuery } from './queries.js'

interface Created {
  readonly id: number
  readonly key: string
  readonly has_signing_key: boolean
}

/** The address of a new key, once, and how to enter it in the app of the phone. */
export function PhoneSetup({ created }: { readonly created: Created }) {
  const [appId, setAppId] = useState<string>(apps[0].id)
  const { Steps, scansAddress, signature } = apps.find(({ id }) => id === appId) ?? apps[0]
  const address = `${serverUrl}${smsIntakePath(created.key)}`
  return (
    <Stack>
      <SecretOnce value={address} what="address" />
      <ReachNote />
      <NativeSelect
        label="App on the phone"
        value={appId}
        onChange={(event) => setAppId(event.currentTarget.value)}
        data={apps.map(({ id, name }) => ({ value: id, label: name }))}
      />
      <Group align="flex-start" gap="lg">
        {scansAddress && (
          <Stack gap={4} maw={184}>
            <QrCode text={address} label="QR code of the address" size={184} />
            <Text size="xs" c="dimmed" ta="center">
              Scan it with the camera of the phone, copy the address, and paste it into the app.
            </Text>
          </Stack>
        )}
        <Stack gap="xs" flex="1 1 260px" miw={0}>
          <Steps address={address} />
          {created.has_signing_key && <Text size="sm">{signature}</Text>}
        </Stack>
      </Group>
      <FirstMessage keyId={created.id} />
    </Stack>
  )
}

/** Warns about an address that a phone cannot reach (`localhost`), or that has no TLS. */
function ReachNote() {
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(location.hostname)
  if (!isLocal && location.protocol === 'https:') return null
  return (
    <Alert color="yellow" title={isLocal ? 'A phone cannot reach this address' : 'This address has no https'}>
      {isLocal ? (
        <>
          <Code>{location.host}</Code> is this computer itself. Open the console at the address under which the phone
          reaches it, then create the key.
        </>
      ) : (
        'Use it only inside your own network: anyone between the phone and the server can read the messages. SMS Gateway for Android accepts only https.'
      )}
    </Alert>
  )
}

/** Waits for the first message with the new key. */
function FirstMessage({ keyId }: { readonly keyId: number }) {
  const { data } = useQuery(newestQuery)
  const first = data?.messages.find(({ key_id: id }) => id === keyId)
  return (
    <div role="status">
      {first === undefined ? (
        <Group gap="xs">
          <Loader size="xs" aria-hidden />
          <Text size="sm">Waiting for the first message. Send a text message to the phone to try it.</Text>
        </Group>
      ) : (
        <Alert color="teal" icon={<IconCheck size={18} />} title="It works">
          The first message has arrived, from {first.from}.
        </Alert>
      )}
    </div>
  )
}

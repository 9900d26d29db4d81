import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { client } from '../../app/client.js'
import { queryClient } from '../../app/query-client.js'
import { Confirm } from '../../parts/confirm.js'
import { ErrorNote } from '../../parts/errors.js'
import { notifyDone } from '../../parts/notify.js'
import { useSubmit } from '../../parts/use-submit.js'
import { forwarderKeysQuery, type ForwarderKey } from './queries.js'
import { SigningKeyInput } from './signing-key-input.js'

/** Sets, replaces or removes the signing key of a forwarder key. */
export function SigningKey({ forwarderKey }: { readonly forwarderKey: ForwarderKey }) {
  const [isOpen, { open, close }] = useDisclosure(false)
  const { id, label, has_signing_key: isSigned } = forwarderKey
  return (
    <>
      <Button
        size="compact-sm"
        variant="subtle"
        onClick={open}
        aria-label={`${isSigned ? 'Replace' : 'Set'} the signing key of ${label}`}
      >
        {isSigned ? 'Replace signing key' : 'Set signing key'}
      </Button>
      {isSigned && <Remove id={id} label={label} />}
      <Modal opened={isOpen} onClose={close} title={`Signing key of ${label}`}>
        <SigningKeyForm id={id} label={label} onClose={close} />
      </Modal>
    </>
  )
}

type Named = Pick<ForwarderKey, 'id' | 'label'>

function SigningKeyForm({ id, label, onClose }: Named & { readonly onClose: () => void }) {
  const [value, setValue] = useState('')
  const { submit, isPending, problem, error } = useSubmit({
    fields: ['signing_key'],
    send: (input: { id: number; signing_key: string }) => client.sms.signingKeySet(input),
    onDone: async () => {
      await queryClient.invalidateQueries(forwarderKeysQuery)
      onClose()
      notifyDone(`${label}: svc now accepts only signed messages.`)
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        submit({ id, signing_key: value })
      }}
    >
      <Stack>
        <Text size="sm">
          svc then accepts only messages that the phone has signed with this key. Enter the same key in the app. The
          server stores it encrypted and never shows it again.
        </Text>
        <SigningKeyInput
          label="Signing key"
          description="Copy it from the app, or make one here and enter it there."
          required
          value={value}
          onChange={setValue}
          problem={problem('signing_key')}
        />
        {error && <ErrorNote error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending} disabled={value === ''}>
            Save the signing key
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function Remove({ id, label }: Named) {
  return (
    <Confirm
      title={`Accept unsigned messages of ${label}?`}
      action="Remove the signing key"
      run={async () => {
        await client.sms.signingKeySet({ id, signing_key: null })
        await queryClient.invalidateQueries(forwarderKeysQuery)
        notifyDone(`${label}: svc now accepts unsigned messages.`)
      }}
      trigger={(open) => (
        <Button size="compact-sm" variant="subtle" onClick={open} aria-label={`Remove the signing key of ${label}`}>
          Remove signing key
        </Button>
      )}
    >
      The address alone is then enough to add messages. You can set the same signing key again later, if the app still
      has it: svc does not show it.
    </Confirm>
  )
}

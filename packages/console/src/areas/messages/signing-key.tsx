import { Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { client } from '../../app/client.js'
import { queryClient } from '../../app/query-client.js'
import { ErrorNote } from '../../parts/errors.js'
import { FormModal } from '../../parts/form-dialog.js'
import { notifyDone } from '../../parts/notify.js'
import { useSubmit } from '../../parts/use-submit.js'
import { forwarderKeysQuery, type ForwarderKey } from './queries.js'
import { SigningKeyInput } from './signing-key-input.js'

/** Sets, replaces or removes the signing key of a forwarder key. */
export function SigningKey({ forwarderKey }: { readonly forwarderKey: ForwarderKey }) {
  const [isOpen, { open, close }] = useDisclosure(false)
  const name = `Signing key of ${forwarderKey.label}`
  return (
    <>
      <Button size="compact-sm" variant="subtle" onClick={open} aria-label={name}>
        Signing key
      </Button>
      <FormModal opened={isOpen} onClose={close} title={name}>
        <SigningKeyForm {...forwarderKey} onClose={close} />
      </FormModal>
    </>
  )
}

function SigningKeyForm({ id, label, has_signing_key: isSigned, onClose }: ForwarderKey & { onClose: () => void }) {
  const [value, setValue] = useState('')
  const input: { id: number; signing_key: string | null } = { id, signing_key: value }
  const { submit, isPending, problem, error } = useSubmit({
    fields: ['signing_key'],
    input,
    send: (sent: typeof input) => client.sms.signingKeySet(sent),
    onDone: async ({ has_signing_key: isNowSigned }) => {
      await queryClient.invalidateQueries(forwarderKeysQuery)
      onClose()
      notifyDone(`svc now accepts ${isNowSigned ? 'only signed' : 'all'} messages from ${label}.`)
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Stack>
        <Text size="sm">
          {isSigned
            ? 'This phone must sign its messages. The server never shows the signing key: replace it here and in the app, or remove it. Without one, the address alone is enough to add messages.'
            : 'svc then accepts only messages that the phone has signed with this key. Enter the same key in the app. The server stores it encrypted and never shows it again.'}
        </Text>
        <SigningKeyInput
          label={isSigned ? 'New signing key' : 'Signing key'}
          description="Copy it from the app, or generate one here and enter it there."
          required
          value={value}
          onChange={setValue}
          problem={problem('signing_key')}
        />
        {error && <ErrorNote error={error} />}
        <Group justify="flex-end">
          {isSigned && (
            <Button variant="subtle" color="red" disabled={isPending} onClick={() => submit({ id, signing_key: null })}>
              Remove the signing key
            </Button>
          )}
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

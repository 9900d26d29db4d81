import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { areas } from '@svc/contract'
import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { FormModal } from '../../parts/form-dialog.js'
import { notifyDone } from '../../parts/notify.js'
import { SubmitForm } from '../../parts/submit-form.js'
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
  const form = useSubmit({
    op: areas.sms.keyCreate,
    initial: { signing_key: '' },
    send: ({ signing_key: key }) => client.sms.signingKeySet({ id, signing_key: key === '' ? null : key }),
    onDone: async ({ has_signing_key: isNowSigned }) => {
      await queryClient.invalidateQueries(forwarderKeysQuery)
      onClose()
      notifyDone(`svc now accepts ${isNowSigned ? 'only signed' : 'all'} messages from ${label}.`)
    },
  })
  const remove = isSigned && (
    <Button variant="subtle" color="red" disabled={form.isPending} onClick={() => form.submit({ signing_key: '' })}>
      Remove the signing key
    </Button>
  )
  return (
    <SubmitForm
      form={form}
      action="Save the signing key"
      disabled={form.values.signing_key === ''}
      onCancel={onClose}
      other={remove}
    >
      <Text size="sm">
        {isSigned
          ? 'This phone must sign its messages. The server never shows the signing key: replace it here and in the app, or remove it. Without one, the address alone is enough to add messages.'
          : 'svc then accepts only messages that the phone has signed with this key. Enter the same key in the app. The server stores it encrypted and never shows it again.'}
      </Text>
      <SigningKeyInput
        {...form.text('signing_key')}
        label={isSigned ? 'New signing key' : 'Signing key'}
        description="Copy it from the app, or generate one here and enter it there."
        required
        onGenerate={(key) => form.set({ signing_key: key })}
      />
    </SubmitForm>
  )
}

import { NativeSelect, Text } from '@mantine/core'
import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { keysQuery } from '../../parts/keys-query.js'
import { SecretOnce, SecretOnceDialog } from '../../parts/secret-once.js'
import { SubmitForm } from '../../parts/submit-form.js'
import { useSubmit } from '../../parts/use-submit.js'
import type { Key } from './limit-fields.js'
import { UpdateSetup } from './update-setup.js'

interface Props {
  /** Undefined while the dialog is closed. */
  readonly apiKey: Key | undefined
  readonly onClose: () => void
}

type RotatedKey = Awaited<ReturnType<typeof client.keys.rotate>>

/** Gives an API key a new value, and shows it once. */
export function RotateKey({ apiKey, onClose }: Props) {
  return (
    <SecretOnceDialog
      opened={apiKey !== undefined}
      onClose={onClose}
      title={`Replace the value of ${apiKey?.name ?? ''}`}
      size="lg"
      create={(onRotated) =>
        apiKey && <RotateForm key={apiKey.id} apiKey={apiKey} onRotated={onRotated} onCancel={onClose} />
      }
    >
      {(rotated: RotatedKey) => (
        <>
          <SecretOnce value={rotated.token} what="key" />
          <UpdateSetup {...rotated} />
        </>
      )}
    </SecretOnceDialog>
  )
}

interface FormProps {
  readonly apiKey: Key
  readonly onRotated: (rotated: RotatedKey) => void
  readonly onCancel: () => void
}

function RotateForm({ apiKey: { id, name, has_update_key: hasUrl }, onRotated, onCancel }: FormProps) {
  const form = useSubmit({
    initial: { keep: '0' },
    input: ({ keep }) => ({ id, keep: Number(keep) }),
    send: (input) => client.keys.rotate(input),
    onDone: async (rotated) => {
      onRotated(rotated)
      await queryClient.invalidateQueries(keysQuery)
    },
  })
  return (
    <SubmitForm form={form} action="Replace the value" onCancel={onCancel}>
      <Text size="sm">
        {name} gets a new value{hasUrl && ' and a new update URL'}. Its scopes and limits stay. Keep the old value for a
        while only if no stranger has it.
      </Text>
      <NativeSelect
        label="The old value"
        data={[
          { value: '0', label: 'ends at once' },
          { value: '1', label: 'works for one more hour' },
          { value: '24', label: 'works for 24 more hours' },
        ]}
        value={form.values.keep}
        onChange={(event) => form.set({ keep: event.currentTarget.value })}
        data-autofocus
      />
    </SubmitForm>
  )
}

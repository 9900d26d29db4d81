import { Anchor, NativeSelect, Text, TextInput } from '@mantine/core'
import { areas } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { client } from '../../../parts/api/client.js'
import { queryClient } from '../../../parts/api/query-client.js'
import { FormModal } from '../../../parts/form-dialog.js'
import { keysQuery } from '../../../parts/keys-query.js'
import { notifyDone } from '../../../parts/notify.js'
import { QueryView } from '../../../parts/query-view.js'
import { SubmitForm } from '../../../parts/submit-form.js'
import { useSubmit } from '../../../parts/use-submit.js'
import { nameOf, secondariesQuery } from './queries.js'

interface Props {
  readonly opened: boolean
  readonly onClose: () => void
}

/** Adds a secondary with one of the keys of the account that sign DNS messages. */
export function AddSecondary({ opened, onClose }: Props) {
  const query = useQuery({ ...keysQuery, enabled: opened })
  return (
    <FormModal opened={opened} onClose={onClose} title="Add a secondary nameserver">
      <QueryView query={query}>
        {({ keys }) => {
          const usable = keys.flatMap(({ id, name, tsig }) => (tsig === null ? [] : [{ id, name }]))
          return usable.length === 0 ? <NoKey /> : <AddForm keys={usable} onClose={onClose} />
        }}
      </QueryView>
    </FormModal>
  )
}

function NoKey() {
  return (
    <Text size="sm">
      A secondary needs a TSIG key of this account, with the scope dns:read.{' '}
      <Anchor component={Link} to="/account/keys?new" inherit underline="always">
        Create an API key
      </Anchor>{' '}
      that signs DNS messages first.
    </Text>
  )
}

interface FormProps {
  readonly keys: readonly { readonly id: number; readonly name: string }[]
  readonly onClose: () => void
}

function AddForm({ keys, onClose }: FormProps) {
  const form = useSubmit({
    op: areas.dns.secondaryCreate,
    initial: { address: '', port: '53', key: String(keys[0]?.id ?? '') },
    input: ({ address, port, key }) => ({ address: address.trim(), port: Number(port), key_id: Number(key) }),
    send: (input) => client.dns.secondaryCreate(input),
    onDone: async (added) => {
      onClose()
      await queryClient.invalidateQueries(secondariesQuery)
      notifyDone(`${nameOf(added)} is added. Now let it transfer a zone with its key.`)
    },
  })
  return (
    <SubmitForm form={form} action="Add the secondary" onCancel={onClose}>
      <TextInput
        label="IP address"
        description="From which the secondary asks for transfers."
        placeholder="192.0.2.53"
        required
        data-autofocus
        value={form.values.address}
        onChange={(event) => form.set({ address: event.currentTarget.value })}
        error={form.problem('address')}
      />
      <TextInput
        label="Port"
        description="On which it takes NOTIFY, over UDP."
        inputMode="numeric"
        required
        value={form.values.port}
        onChange={(event) => form.set({ port: event.currentTarget.value })}
        error={form.problem('port')}
      />
      <NativeSelect
        label="Key"
        description="Signs the messages of both sides."
        data={keys.map(({ id, name }) => ({ value: String(id), label: name }))}
        value={form.values.key}
        onChange={(event) => form.set({ key: event.currentTarget.value })}
        error={form.problem('key_id')}
      />
    </SubmitForm>
  )
}

import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { consoleAreas, defaultScopes, type TokenScope } from '@svc/contract'
import { useState } from 'react'
import { client } from '../../app/client.js'
import { queryClient } from '../../app/query-client.js'
import { SecretOnce } from '../../parts/copy.js'
import { ErrorNote } from '../../parts/errors.js'
import { fieldOf } from '../../parts/schema.js'
import { useSubmit } from '../../parts/use-submit.js'
import { keysQuery } from './queries.js'
import { ScopeMatrix } from './scope-matrix.js'

interface Props {
  readonly opened: boolean
  readonly onClose: () => void
}

/** Creates a token, and shows its value once. */
export function NewKey({ opened, onClose }: Props) {
  const [token, setToken] = useState<string>()
  const close = () => {
    setToken(undefined)
    onClose()
  }
  return (
    // A click beside the dialog would lose the only view of the value.
    <Modal
      opened={opened}
      onClose={close}
      title="Create an API key"
      size="xl"
      closeOnClickOutside={token === undefined}
    >
      {token === undefined ? (
        <KeyForm onCreated={setToken} onCancel={close} />
      ) : (
        <Stack>
          <SecretOnce value={token} what="key" />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Done
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}

function KeyForm({ onCreated, onCancel }: { onCreated: (token: string) => void; onCancel: () => void }) {
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<readonly TokenScope[]>(defaultScopes)
  const { submit, isPending, problem, error } = useSubmit({
    fields: ['name', 'scopes'],
    send: (input: { name: string; scopes: TokenScope[] }) => client.keys.create(input),
    onDone: async ({ token }) => {
      onCreated(token)
      await queryClient.invalidateQueries(keysQuery)
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        submit({ name, scopes: [...scopes] })
      }}
    >
      <Stack>
        <TextInput
          label="Name"
          description="The program that uses it, such as ci or backup-script."
          required
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={fieldOf(consoleAreas.keys.create, 'name').maxLength}
          error={problem('name')}
        />
        <ScopeMatrix scopes={scopes} onChange={setScopes} problem={problem('scopes')} />
        {error && <ErrorNote error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending} disabled={scopes.length === 0}>
            Create the key
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

import { Button, Code, Group, Stack, Text, TextInput } from '@mantine/core'
import { consoleAreas, curl, type TokenScope } from '@svc/contract'
import { useState } from 'react'
import { serverUrl } from '../../app/base.js'
import { client } from '../../app/client.js'
import { queryClient } from '../../app/query-client.js'
import { CodeSample } from '../../parts/code-sample.js'
import { SecretModal, SecretOnce } from '../../parts/secret-once.js'
import { FormActions } from '../../parts/form-actions.js'
import { fieldOf } from '../../parts/schema.js'
import { useSubmit } from '../../parts/use-submit.js'
import { keysQuery } from './queries.js'
import { ScopeMatrix } from './scope-matrix.js'
import { firstCall } from './scopes.js'

type CreatedKey = Awaited<ReturnType<typeof client.keys.create>>

interface Props {
  readonly opened: boolean
  readonly onClose: () => void
}

/** Creates an API key, and shows its value once. */
export function NewKey({ opened, onClose }: Props) {
  const [created, setCreated] = useState<CreatedKey>()
  // The back button closes the dialog too, and an answer may arrive after that: the secret must not stay.
  if (!opened && created !== undefined) setCreated(undefined)
  return (
    <SecretModal
      opened={opened}
      onClose={onClose}
      title="Create an API key"
      size="xl"
      hasSecret={created !== undefined}
    >
      {created === undefined ? (
        <KeyForm onCreated={setCreated} onCancel={onClose} />
      ) : (
        <Stack>
          <SecretOnce value={created.token} what="key" />
          <TryIt {...created} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Done
            </Button>
          </Group>
        </Stack>
      )}
    </SecretModal>
  )
}

/** A first call with the new key. The command reads its value from the environment, so that no shell history has it. */
function TryIt({ name, scopes }: CreatedKey) {
  const command = curl(firstCall(scopes), serverUrl)
  return (
    <Stack gap={4}>
      <Text size="sm">
        Give it to {name} as the environment variable <Code>SVC_TOKEN</Code>, then try:
      </Text>
      <CodeSample code={command} what="the command" />
    </Stack>
  )
}

function KeyForm({ onCreated, onCancel }: { onCreated: (created: CreatedKey) => void; onCancel: () => void }) {
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<readonly TokenScope[]>([])
  const { submit, isPending, problem, error } = useSubmit({
    fields: ['name', 'scopes'],
    input: { name, scopes: [...scopes] },
    send: (input: { name: string; scopes: TokenScope[] }) => client.keys.create(input),
    onDone: async (created) => {
      onCreated(created)
      await queryClient.invalidateQueries(keysQuery)
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
        <FormActions
          action="Create the key"
          isPending={isPending}
          disabled={scopes.length === 0}
          error={error}
          onCancel={onCancel}
        />
      </Stack>
    </form>
  )
}

import { Code, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { consoleAreas, curl, tsigAlgorithms, type TokenScope } from '@svc/contract'
import { serverUrl } from '../../parts/api/base.js'
import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { CodeSample } from '../../parts/code-sample.js'
import { keysQuery } from '../../parts/keys-query.js'
import { SecretOnce, SecretOnceDialog } from '../../parts/secret-once.js'
import { SubmitForm } from '../../parts/submit-form.js'
import { useSubmit } from '../../parts/use-submit.js'
import { LimitFields, limitsOf, noLimits, type LimitDraft } from './limit-fields.js'
import { ScopeMatrix } from './scope-matrix.js'
import { firstCall } from './scopes.js'
import { TsigOnce, type CreatedTsig } from './tsig-once.js'

type CreatedToken = Awaited<ReturnType<typeof client.keys.create>>
type CreatedKey = CreatedToken | CreatedTsig

interface Props {
  readonly opened: boolean
  readonly onClose: () => void
}

/** Creates an API key, and shows its value once. */
export function NewKey({ opened, onClose }: Props) {
  return (
    <SecretOnceDialog
      opened={opened}
      onClose={onClose}
      title="Create an API key"
      size="xl"
      create={(onCreated) => <KeyForm onCreated={onCreated} onCancel={onClose} />}
    >
      {(created: CreatedKey) =>
        'secret' in created ? (
          <TsigOnce {...created} />
        ) : (
          <>
            <SecretOnce value={created.token} what="key" />
            <TryIt {...created} />
          </>
        )
      }
    </SecretOnceDialog>
  )
}

/** A first call with the new key. The command reads its value from the environment, so that no shell history has it. */
function TryIt({ name, scopes }: CreatedToken) {
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

interface Draft extends LimitDraft {
  readonly name: string
  readonly scopes: readonly TokenScope[]
  /** Of a key that signs DNS messages; empty for a key for the API. */
  readonly algorithm: string
}

const nothing: Draft = { name: '', scopes: [], algorithm: '', ...noLimits }

const kinds = [
  { value: '', label: 'the API' },
  ...tsigAlgorithms.map((algorithm) => ({
    value: algorithm,
    label: `DNS, for updates and transfers (TSIG, ${algorithm})`,
  })),
]

function KeyForm({ onCreated, onCancel }: { onCreated: (created: CreatedKey) => void; onCancel: () => void }) {
  const form = useSubmit({
    op: consoleAreas.keys.create,
    initial: nothing,
    input: ({ name, scopes, algorithm, ...draft }) => ({
      name,
      scopes: [...scopes],
      algorithm: tsigAlgorithms.find((known) => known === algorithm),
      ...limitsOf(draft),
    }),
    send: ({ algorithm, ...input }): Promise<CreatedKey> =>
      algorithm === undefined ? client.keys.create(input) : client.keys.createTsig({ ...input, algorithm }),
    onDone: async (created) => {
      onCreated(created)
      await queryClient.invalidateQueries(keysQuery)
    },
  })
  const { scopes } = form.values
  return (
    <SubmitForm form={form} action="Create the key" disabled={scopes.length === 0} onCancel={onCancel}>
      <TextInput
        {...form.text('name')}
        label="Name"
        description="The program that uses it, such as ci or backup-script."
        required
        data-autofocus
      />
      <NativeSelect
        label="Works in"
        data={kinds}
        value={form.values.algorithm}
        onChange={(event) => form.set({ algorithm: event.currentTarget.value })}
      />
      <ScopeMatrix
        scopes={scopes}
        onChange={(chosen) => form.set({ scopes: chosen })}
        onTemplate={(template) => form.set({ scopes: template.scopes, rules: template.rules })}
        problem={form.problem('scopes')}
      />
      <LimitFields form={form} />
    </SubmitForm>
  )
}

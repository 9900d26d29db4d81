import { Checkbox, Code, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
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
import { UpdateSetup } from './update-setup.js'

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
            {created.update_key === null ? <TryIt {...created} /> : <UpdateSetup {...created} />}
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
  readonly update_key: boolean
}

const nothing: Draft = { name: '', scopes: [], algorithm: '', update_key: false, ...noLimits }

const kinds = [
  { value: '', label: 'the API' },
  ...tsigAlgorithms.map((algorithm) => ({
    value: algorithm,
    label: `DNS, for updates and transfers (TSIG, ${algorithm})`,
  })),
]

/** Whether the rules name hosts of a zone: only such a key can have an update URL. */
const namesHosts = ({ rules }: LimitDraft): boolean =>
  rules.some(({ kind, hosts }) => kind === 'zone' && hosts.trim() !== '')

function KeyForm({ onCreated, onCancel }: { onCreated: (created: CreatedKey) => void; onCancel: () => void }) {
  const form = useSubmit({
    op: consoleAreas.keys.create,
    initial: nothing,
    input: ({ name, scopes, algorithm, update_key, ...draft }) => ({
      name,
      scopes: [...scopes],
      algorithm: tsigAlgorithms.find((known) => known === algorithm),
      ...limitsOf(draft),
      update_key: update_key && namesHosts(draft),
    }),
    send: ({ algorithm, update_key, ...input }): Promise<CreatedKey> =>
      algorithm === undefined
        ? client.keys.create({ ...input, update_key })
        : client.keys.createTsig({ ...input, algorithm }),
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
        onTemplate={({ scopes, rules, hasUpdateKey = false }) => form.set({ scopes, rules, update_key: hasUpdateKey })}
        problem={form.problem('scopes')}
      />
      {namesHosts(form.values) && (
        <UpdateUrlField
          isForDns={form.values.algorithm !== ''}
          isChosen={form.values.update_key}
          onChange={(isChosen) => form.set({ update_key: isChosen })}
          problem={form.problem('update_key')}
        />
      )}
      <LimitFields form={form} />
    </SubmitForm>
  )
}

interface UpdateUrlProps {
  /** A key that signs DNS messages has no update URL. */
  readonly isForDns: boolean
  readonly isChosen: boolean
  readonly onChange: (isChosen: boolean) => void
  readonly problem: string | undefined
}

function UpdateUrlField({ isForDns, isChosen, onChange, problem }: UpdateUrlProps) {
  return (
    <Checkbox
      label="Also make an update URL"
      description={
        isForDns
          ? 'A TSIG key cannot have an update URL: choose a key that works in the API.'
          : 'A router that requests this URL sets the address of the host in the rule (dynamic DNS).'
      }
      disabled={isForDns}
      checked={isChosen && !isForDns}
      onChange={(event) => onChange(event.currentTarget.checked)}
      error={problem}
    />
  )
}

import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { IconLock, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { areas } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { actionsColumn, timeColumn } from '../../parts/columns.js'
import { Confirm } from '../../parts/confirm.js'
import { DataTable, type Column } from '../../parts/data-table.js'
import { EmptyState } from '../../parts/empty-state.js'
import { IconAction } from '../../parts/icon-action.js'
import { searchField } from '../../parts/key-targets.js'
import { notifyDone } from '../../parts/notify.js'
import { Page } from '../../parts/page.js'
import { QueryView } from '../../parts/query-view.js'
import { Hint } from '../../parts/text.js'
import { useDialogInUrl, useFilter, useItemInUrl } from '../../parts/url-state.js'
import { useRowInUrl } from '../../parts/use-row-in-url.js'
import { credentialsQuery, type Credential } from './queries.js'
import { ReplaceSecret } from './replace-secret.js'
import { nameOf, Secret } from './secret.js'
import { StoreCredential } from './store-credential.js'
import { useShownSecret } from './use-shown-secret.js'

/** Credentials: passwords, keys and tokens of other platforms. */
export function CredentialsPage() {
  const query = useQuery(credentialsQuery)
  const dialog = useDialogInUrl('new')
  const [platform, setPlatform] = useFilter('platform')
  const create = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={dialog.open}>
      Store a credential
    </Button>
  )
  return (
    <Page
      title="Credentials"
      lead="Passwords, keys and tokens of other platforms. The server stores each secret encrypted."
      actions={create}
      requests={[{ op: areas.cred.list, input: platform === '' ? {} : { platform } }, { op: areas.cred.store }]}
    >
      <QueryView query={query}>
        {({ credentials }) => (
          <>
            <StoreCredential credentials={credentials} />
            <ReplaceSecret credentials={credentials} />
            {credentials.length === 0 ? (
              <EmptyState icon={IconLock} title="No credentials yet" action={create}>
                Store the password or the API token of a registrar, a hosting company or a mail provider here. Your
                scripts then read it here with an API key, instead of from a file beside them.
              </EmptyState>
            ) : (
              <Credentials credentials={credentials} platform={platform} onPlatform={setPlatform} />
            )}
          </>
        )}
      </QueryView>
    </Page>
  )
}

interface ListProps {
  readonly credentials: readonly Credential[]
  /** Shows only its credentials; empty for all. */
  readonly platform: string
  readonly onPlatform: (platform: string) => void
}

function Credentials({ credentials, platform, onPlatform }: ListProps) {
  const { shownId, show, hide } = useShownSecret()
  const found = useRowInUrl('credential')
  const platforms = useMemo(() => Array.from(new Set(credentials.map((each) => each.platform))), [credentials])
  const rows = useMemo(
    () => (platform === '' ? credentials : credentials.filter((each) => each.platform === platform)),
    [credentials, platform],
  )
  const columns = useMemo(() => columnsOf(shownId, show, hide), [shownId, show, hide])
  return (
    <Stack gap="sm">
      <NativeSelect
        {...searchField}
        aria-label="Filter by platform"
        w={{ base: '100%', xs: 260 }}
        value={platform}
        onChange={(event) => onPlatform(event.currentTarget.value)}
        data={[
          { value: '', label: `All platforms (${credentials.length})` },
          ...(platform === '' || platforms.includes(platform) ? platforms : [platform, ...platforms]),
        ]}
      />
      <DataTable
        label="Credentials"
        rows={rows}
        rowKey={({ id }) => id}
        columns={columns}
        changed={found}
        empty={<Text size="sm">You have no credential for {platform}.</Text>}
      />
    </Stack>
  )
}

const columnsOf = (
  shownId: number | undefined,
  show: (id: number) => void,
  hide: () => void,
): readonly Column<Credential>[] => [
  {
    key: 'platform',
    header: 'Platform',
    sortBy: nameOf,
    cell: ({ platform, label, username }) => (
      <>
        <Text size="sm" fw={500}>
          {platform}
        </Text>
        {label !== '' && <Hint>{label}</Hint>}
        {username !== null && (
          <Text size="xs" c="dimmed" hiddenFrom="sm">
            {username}
          </Text>
        )}
      </>
    ),
  },
  {
    key: 'username',
    header: 'User name',
    wideOnly: true,
    sortBy: ({ username }) => username ?? '',
    cell: ({ username }) => username ?? '',
  },
  {
    key: 'secret',
    header: 'Secret',
    cell: (credential) => {
      const isShown = credential.id === shownId
      return <Secret credential={credential} isShown={isShown} onToggle={isShown ? hide : () => show(credential.id)} />
    },
  },
  timeColumn('updated_at', 'Stored', { wideOnly: true }),
  actionsColumn((credential) => (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      <Replace {...credential} />
      <Delete {...credential} />
    </Group>
  )),
]

function Replace(credential: Credential) {
  const { open } = useItemInUrl('replace')
  const label = `Replace the secret of ${nameOf(credential)}`
  return <IconAction icon={IconPencil} label={label} onClick={() => open(credential.id)} />
}

function Delete(credential: Credential) {
  const { id, platform } = credential
  const name = nameOf(credential)
  return (
    <Confirm
      title={`Delete ${name}?`}
      action="Delete the credential"
      word={platform}
      run={async () => {
        await client.cred.delete({ id })
        await queryClient.invalidateQueries(credentialsQuery)
        notifyDone(`${name} is deleted.`)
      }}
      trigger={(open) => <IconAction icon={IconTrash} label={`Delete ${name}`} onClick={open} />}
    >
      The secret cannot be restored. Programs that read it here no longer find it. At {platform} itself nothing changes.
    </Confirm>
  )
}

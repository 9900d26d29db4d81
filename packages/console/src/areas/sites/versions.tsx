import { Badge, Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { client } from '../../parts/api/client.js'
import { actionsColumn } from '../../parts/columns.js'
import { DataTable, type Column } from '../../parts/data-table.js'
import { formatBytes, formatCount, formatTime } from '../../parts/format.js'
import { notifyDone, notifyError, notifyUndo } from '../../parts/notify.js'
import { QueryView } from '../../parts/query-view.js'
import { Hint, Note } from '../../parts/text.js'
import { TimeAgo } from '../../parts/time.js'
import { useSingleMutation } from '../../parts/use-single-mutation.js'
import { refreshSites, versionsQuery, type Version } from './queries.js'

const restore = async (name: string, version: number) => {
  await client.sites.restore({ name, version })
  await refreshSites()
}

/** The kept versions of a site, each with a button that restores it. */
export function Versions({ name }: { readonly name: string }) {
  const query = useQuery(versionsQuery(name))
  const current = query.data?.versions.find((version) => version.current)
  const rollBack = useSingleMutation({
    // The former version is read before the list is: afterwards another one is current.
    mutationFn: async ({ version }: Version) => {
      const former = current?.version
      await restore(name, version)
      return former
    },
    onSuccess: (former, { number }) => {
      const text = `${name} now serves v${number}.`
      if (former === undefined) notifyDone(text)
      else notifyUndo(text, () => restore(name, former))
    },
    onError: notifyError,
  })
  const columns: readonly Column<Version>[] = [
    {
      key: 'version',
      header: 'Version',
      cell: ({ number, current, deployed_at }) => (
        <>
          <Group gap="xs">
            <Text size="sm" fw={500}>
              v{number}
            </Text>
            {current && (
              <Badge size="sm" variant="light" color="teal">
                Current
              </Badge>
            )}
          </Group>
          <Hint>{formatTime(deployed_at)}</Hint>
        </>
      ),
    },
    { key: 'deployed_at', header: 'Deployed', wideOnly: true, cell: ({ deployed_at }) => <TimeAgo at={deployed_at} /> },
    { key: 'files', header: 'Files', align: 'right', wideOnly: true, cell: ({ files }) => formatCount(files) },
    { key: 'size', header: 'Size', align: 'right', cell: ({ size }) => formatBytes(size) },
    actionsColumn((version) =>
      version.current ? null : (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => rollBack.mutate(version)}
          loading={rollBack.isPending && rollBack.variables.version === version.version}
          aria-label={`Use this version: v${version.number}`}
        >
          Use this version
        </Button>
      ),
    ),
  ]
  return (
    <QueryView query={query}>
      {({ versions }) => (
        <>
          <DataTable label="Versions" rows={versions} rowKey={({ version }) => version} columns={columns} />
          <Note>The last five versions are kept. Use an older one to go back to it: visitors see it at once.</Note>
        </>
      )}
    </QueryView>
  )
}

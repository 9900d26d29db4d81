import { countColumn, timeColumn } from '../../parts/columns.js'
import { Anchor, Button, Text } from '@mantine/core'
import { areas } from '@svc/contract'
import { IconPackage, IconUpload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { DataTable, type Column } from '../../parts/data-table.js'
import { EmptyState } from '../../parts/empty-state.js'
import { Page } from '../../parts/page.js'
import { QueryView } from '../../parts/query-view.js'
import { useDialogInUrl } from '../../parts/url-state.js'
import { useNavigateHere } from '../../parts/use-navigate-here.js'
import { PublishDialog } from './publish-dialog.js'
import { packagesQuery, type Package } from './queries.js'

/** The packages of the account. */
export function PackagesPage() {
  const query = useQuery(packagesQuery)
  const dialog = useDialogInUrl('publish')
  const navigate = useNavigateHere()
  const publish = (
    <Button leftSection={<IconUpload size={16} />} onClick={dialog.open}>
      Publish a package
    </Button>
  )
  return (
    <Page
      title="Packages"
      lead="Versions of your programs, for everyone to download. A published version never changes."
      actions={publish}
      requests={[{ op: areas.packages.list }, { op: areas.packages.publish }]}
    >
      <PublishDialog
        opened={dialog.isOpen}
        onClose={dialog.close}
        onPublished={(slug) => void navigate(`/packages/${slug}`)}
      />
      <QueryView query={query}>
        {({ packages }) =>
          packages.length === 0 ? (
            <EmptyState icon={IconPackage} title="No packages yet" action={publish}>
              A package has versions, and each version has files: archives, binaries, checksums. Publish one here, or
              from CI with an API key: each file gets a public address, and its downloads are counted.
            </EmptyState>
          ) : (
            <DataTable label="Packages" rows={packages} rowKey={({ slug }) => slug} columns={columns} />
          )
        }
      </QueryView>
    </Page>
  )
}

const columns: readonly Column<Package>[] = [
  {
    key: 'slug',
    header: 'Package',
    sortBy: ({ slug }) => slug,
    cell: ({ slug, name, description }) => (
      <>
        <Anchor component={Link} to={`/packages/${slug}`} fw={500} size="sm">
          {slug}
        </Anchor>
        <Text size="xs" c="dimmed" lineClamp={1}>
          {[name === slug ? '' : name, description].filter(Boolean).join(': ')}
        </Text>
      </>
    ),
  },
  countColumn('versions', 'Versions'),
  countColumn('downloads', 'Downloads'),
  timeColumn('updated_at', 'Changed', { align: 'right', wideOnly: true }),
]

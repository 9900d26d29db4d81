import { Button, Card, Group, SimpleGrid, Stack } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { areas } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from 'react-router'
import { MissingPage } from '../../parts/missing-page.js'
import { CopyText } from '../../parts/copy.js'
import { Fact } from '../../parts/fact.js'
import { formatBytes, formatCount, formatTime } from '../../parts/format.js'
import { Page } from '../../parts/page.js'
import { pathIdIn } from '../../parts/path-id.js'
import { QueryView } from '../../parts/query-view.js'
import { SectionTitle } from '../../parts/text.js'
import { EdgeCard } from './edge-card.js'
import { FileMenu } from './file-menu.js'
import { downloadUrl } from './links.js'
import { MediaTypeForm } from './media-type-form.js'
import { Preview } from './preview.js'
import { fileQuery, type File } from './queries.js'
import { ShareToggle } from './share-toggle.js'
import { TrafficHistory } from './traffic-history.js'

/** One file: its details, its link, and how the edge serves it. */
export function FilePage() {
  const id = pathIdIn(useParams()['id'])
  return id === undefined ? <MissingPage /> : <KnownFile id={id} />
}

function KnownFile({ id }: { readonly id: number }) {
  const query = useQuery(fileQuery(id))
  const navigate = useNavigate()
  const file = query.data
  return (
    <Page
      title={file?.name ?? `File ${String(id)}`}
      above={{ label: 'Files', path: '/files' }}
      actions={
        file && (
          <>
            <Button component="a" href={downloadUrl(file.id)} leftSection={<IconDownload size={16} />}>
              Download
            </Button>
            <FileMenu file={file} onDeleted={() => void navigate('/files', { replace: true })} />
          </>
        )
      }
      requests={requestsOf(String(id))}
    >
      <QueryView query={query}>
        {(shown) => (
          <Stack gap="lg">
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
              <Details file={shown} />
              <Preview file={shown} />
            </SimpleGrid>
            {shown.shared && (
              <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
                <EdgeCard id={shown.id} />
                <TrafficHistory id={shown.id} />
              </SimpleGrid>
            )}
          </Stack>
        )}
      </QueryView>
    </Page>
  )
}

const requestsOf = (id: string) => [
  { op: areas.files.get, input: { id } },
  ...[areas.files.update, areas.files.rename, areas.files.delete].map((op) => ({ op })),
  { op: areas.files.download, input: { id } },
  { op: areas.files.traffic, input: { id } },
  ...[areas.cdn.config, areas.cdn.purge].map((op) => ({ op })),
]

function Details({ file }: { readonly file: File }) {
  return (
    <Card withBorder>
      <Stack gap="md">
        <Group justify="space-between">
          <SectionTitle>Details</SectionTitle>
          <ShareToggle file={file}>
            {(toggle) => (
              <Button size="xs" variant={file.shared ? 'default' : 'filled'} onClick={toggle}>
                {file.shared ? 'Stop sharing' : 'Share'}
              </Button>
            )}
          </ShareToggle>
        </Group>
        <Fact label="Share link">
          {file.share_url === null ? (
            'Private: only you can download it.'
          ) : (
            <CopyText value={file.share_url} what="the share link" />
          )}
        </Fact>
        <Fact label="Size">
          {formatBytes(file.size)}
          {file.size >= 1000 && ` (${formatCount(file.size)} bytes)`}
        </Fact>
        <Fact label="SHA-256">
          <CopyText value={file.sha256} what="the SHA-256" />
        </Fact>
        <MediaTypeForm key={file.media_type} file={file} />
        <Fact label="Uploaded">{formatTime(file.created_at)}</Fact>
        {file.updated_at !== file.created_at && <Fact label="Changed">{formatTime(file.updated_at)}</Fact>}
      </Stack>
    </Card>
  )
}

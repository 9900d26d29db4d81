import { Stack, Text } from '@mantine/core'
import { IconBrowser, IconFiles, IconMessage } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { counted, formatBytes } from '../../parts/format.js'
import { TimeAgo } from '../../parts/time.js'
import { usageQuery } from '../files/queries.js'
import { StorageUse } from '../files/storage-use.js'
import { sitesQuery } from '../sites/queries.js'
import { CardText, Card, More, Row, rowsMax } from './card.js'
import { messagesQuery } from './queries.js'

/** The storage that the account uses. */
export function Storage() {
  const query = useQuery(usageQuery)
  return (
    <Card title="Storage" icon={IconFiles} link={{ label: 'All files', path: '/files' }} query={query}>
      {(usage) => (
        <Stack gap={6}>
          <StorageUse {...usage} />
          {usage.files === 0 && <CardText>Upload files, and share them with a link.</CardText>}
        </Stack>
      )}
    </Card>
  )
}

/** The sites, most recently deployed first. */
export function RecentDeploys() {
  const query = useQuery(sitesQuery)
  return (
    <Card title="Recent deploys" icon={IconBrowser} link={{ label: 'All sites', path: '/sites' }} query={query}>
      {({ sites }) =>
        sites.length === 0 ? (
          <CardText>Drop a folder or a zip on the Sites page to publish it as a website.</CardText>
        ) : (
          <Stack gap="sm">
            {sites.slice(0, rowsMax).map(({ id, name, files, size, deployed_at }) => (
              <Row
                key={id}
                path={`/sites/${encodeURIComponent(name)}`}
                name={name}
                detail={`${counted(files, 'file')}, ${formatBytes(size)}`}
              >
                <TimeAgo at={deployed_at} />
              </Row>
            ))}
            <More count={sites.length} path="/sites" />
          </Stack>
        )
      }
    </Card>
  )
}

/** The newest text messages. */
export function LastMessages() {
  const query = useQuery(messagesQuery)
  return (
    <Card title="Last messages" icon={IconMessage} link={{ label: 'All messages', path: '/messages' }} query={query}>
      {({ messages }) =>
        messages.length === 0 ? (
          <CardText>Text messages that your phone forwards appear here.</CardText>
        ) : (
          <Stack gap="sm">
            {messages.map(({ id, from, body, received_at }) => (
              <Row
                key={id}
                path={`/messages?message=${String(id)}`}
                name={from}
                detail={
                  <Text inherit lineClamp={2}>
                    {body}
                  </Text>
                }
              >
                <TimeAgo at={received_at} />
              </Row>
            ))}
          </Stack>
        )
      }
    </Card>
  )
}

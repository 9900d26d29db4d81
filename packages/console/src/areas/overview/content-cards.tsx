import { Progress, Stack, Text } from '@mantine/core'
import { IconBrowser, IconFiles, IconMessage } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { counted, formatBytes, formatCount } from '../../parts/format.js'
import { TimeAgo } from '../../parts/time.js'
import { Calm, Card, More, Row, rowsMax } from './card.js'
import { messagesQuery, sitesQuery, usageQuery } from './queries.js'

const nearlyFullPercent = 90

/** The storage that the account uses. */
export function Storage() {
  const query = useQuery(usageQuery)
  return (
    <Card title="Storage" icon={IconFiles} link={{ label: 'All files', path: '/files' }} query={query}>
      {({ files, shared, bytes, bytes_limit, uploads }) => {
        const percent = bytes_limit === null || bytes_limit === 0 ? undefined : Math.round((100 * bytes) / bytes_limit)
        return (
          <Stack gap={6}>
            <Text size="sm" fw={500}>
              {formatBytes(bytes)} used{bytes_limit === null ? '' : ` of ${formatBytes(bytes_limit)}`}
            </Text>
            {percent !== undefined && (
              <Progress
                value={percent}
                size="sm"
                aria-label="Used storage"
                {...(percent > nearlyFullPercent && { color: 'red' })}
              />
            )}
            {percent !== undefined && percent > nearlyFullPercent && (
              <Text size="sm">Almost full: delete files, or ask the operator for more.</Text>
            )}
            <Calm>
              {files === 0
                ? 'Upload files, and share them with a link.'
                : `${counted(files, 'file')}, ${shared === 0 ? 'none' : formatCount(shared)} shared`}
              {uploads > 0 && `, ${counted(uploads, 'unfinished upload')}`}
            </Calm>
          </Stack>
        )
      }}
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
          <Calm>Drop a folder or a zip on the Sites page to publish it as a website.</Calm>
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
          <Calm>Text messages that your phone forwards appear here.</Calm>
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

import { Stack, Text } from '@mantine/core'
import { IconBrowser, IconFiles, IconMessage } from '@tabler/icons-react'
import { counted, formatBytes } from '../../parts/format.js'
import { TimeAgo } from '../../parts/time.js'
import { StorageUse } from '../files/storage-use.js'
import { CardText, Card, More, Row, type CardProps } from './card.js'

/** The storage that the account uses. */
export function Storage({ overview }: CardProps) {
  return (
    <Card
      title="Storage"
      icon={IconFiles}
      link={{ label: 'All files', path: '/files' }}
      overview={overview}
      area="files"
    >
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
export function RecentDeploys({ overview }: CardProps) {
  return (
    <Card
      title="Recent deploys"
      icon={IconBrowser}
      link={{ label: 'All sites', path: '/sites' }}
      overview={overview}
      area="sites"
    >
      {({ sites, deploys }) =>
        sites === 0 ? (
          <CardText>Drop a folder or a zip on the Sites page to publish it as a website.</CardText>
        ) : (
          <Stack gap="sm">
            {deploys.map(({ name, files, size, deployed_at }) => (
              <Row
                key={name}
                path={`/sites/${encodeURIComponent(name)}`}
                name={name}
                detail={`${counted(files, 'file')}, ${formatBytes(size)}`}
              >
                <TimeAgo at={deployed_at} />
              </Row>
            ))}
            <More count={sites - deploys.length} path="/sites" />
          </Stack>
        )
      }
    </Card>
  )
}

/** The newest text messages. */
export function LastMessages({ overview }: CardProps) {
  return (
    <Card
      title="Last messages"
      icon={IconMessage}
      link={{ label: 'All messages', path: '/messages' }}
      overview={overview}
      area="sms"
    >
      {({ messages, latest }) =>
        messages === 0 ? (
          <CardText>Text messages that your phone forwards appear here.</CardText>
        ) : (
          <Stack gap="sm">
            {latest.map(({ id, from, text, received_at }) => (
              <Row
                key={id}
                path={`/messages?message=${String(id)}`}
                name={from}
                detail={
                  <Text inherit lineClamp={2}>
                    {text === '' ? '(no text)' : text}
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

import { Anchor, Paper, SimpleGrid, Skeleton, Stack } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { Fact } from '../../parts/fact.js'
import { formatCount, formatTime } from '../../parts/format.js'
import { CardTitle } from '../../parts/text.js'
import { statusLabels } from './kinds.js'
import type { Detail } from './queries.js'

const LinkQrCode = lazy(() => import('./link-qr-code.js'))

/** A short link: its QR code and its options. */
export function LinkView({ slug, url, uses, shortlink }: Detail) {
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <Paper withBorder p="md">
        <Stack gap="sm">
          <CardTitle>QR code</CardTitle>
          <Suspense fallback={<Skeleton height={240} width={240} />}>
            <LinkQrCode url={url} name={slug} />
          </Suspense>
        </Stack>
      </Paper>
      <Paper withBorder p="md">
        <Stack gap="sm">
          <CardTitle>Options</CardTitle>
          {shortlink && <Options uses={uses} {...shortlink} />}
          <Anchor href={url} target="_blank" rel="noreferrer" size="sm">
            Open the short link
          </Anchor>
        </Stack>
      </Paper>
    </SimpleGrid>
  )
}

type OptionsProps = NonNullable<Detail['shortlink']> & { readonly uses: number }

function Options({ uses, status, forward_query, expires_at, max_uses }: OptionsProps) {
  const [now] = useState(Date.now)
  return (
    <>
      <Fact label="Redirect">{statusLabels[status]}</Fact>
      <Fact label="Query parameters">{forward_query ? 'Forwarded to the target' : 'Not forwarded'}</Fact>
      <Fact label="Expires">
        {expires_at === null
          ? 'never'
          : `${formatTime(expires_at)}${Date.parse(expires_at) <= now ? ' (expired: the link does not work)' : ''}`}
      </Fact>
      <Fact label="Maximum number of uses">
        {max_uses === null
          ? 'no limit'
          : `${formatCount(max_uses)}, ${uses >= max_uses ? 'used up: the link does not work' : `${formatCount(max_uses - uses)} left`}`}
      </Fact>
    </>
  )
}

import { Card, Center, Code, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { client } from '../../parts/api/client.js'
import { formatBytes } from '../../parts/format.js'
import { QueryView } from '../../parts/query-view.js'
import { Hint, SectionTitle } from '../../parts/text.js'
import type { File } from './queries.js'
import classes from './files.module.css'

/** In bytes. */
const textMax = 64 * 1024
/** Larger images are not loaded without being asked for. In bytes. */
const imageMax = 20 * 2 ** 20

/** Shows images, audio and video from the content host, and the beginning of a text. */
export function Preview({ file }: { readonly file: File }) {
  return (
    <Card withBorder>
      <Stack gap="md" h="100%">
        <SectionTitle>Preview</SectionTitle>
        <Contents key={file.share_url} file={file} />
      </Stack>
    </Card>
  )
}

const isText = (mediaType: string): boolean => /^(text\/|application\/(json|xml|yaml|toml)\b)/i.test(mediaType)

function Contents({ file: { id, name, media_type: type, share_url: link, size } }: { readonly file: File }) {
  const [hasFailed, setFailed] = useState(false)
  if (isText(type)) return <TextBeginning id={id} size={size} />
  const kind = type.split('/', 1)[0] ?? ''
  if (!['image', 'audio', 'video'].includes(kind)) return <Note>Files of this type have no preview.</Note>
  if (link === null) return <Note>Share the file to see a preview: it comes from the share link.</Note>
  if (hasFailed) return <Note>The browser cannot show this file.</Note>
  const fail = () => setFailed(true)
  if (kind === 'audio') return <audio controls preload="none" src={link} onError={fail} aria-label={name} />
  if (kind === 'video')
    return <video controls preload="none" src={link} onError={fail} className={classes['preview']} aria-label={name} />
  if (size > imageMax) return <Note>The image is too large for a preview.</Note>
  return <img src={link} alt={name} onError={fail} className={classes['preview']} />
}

function Note({ children }: { readonly children: ReactNode }) {
  return (
    <Center mih={120} flex={1}>
      <Text size="sm" c="dimmed" ta="center">
        {children}
      </Text>
    </Center>
  )
}

function TextBeginning({ id, size }: { readonly id: number; readonly size: number }) {
  const query = useQuery({
    queryKey: ['files', 'text', id],
    queryFn: async () => {
      if (size === 0) return ''
      const range = { range: `bytes=0-${String(textMax - 1)}` }
      return (await client.files.download({ id }, { headers: range })).text()
    },
    staleTime: Infinity,
  })
  return (
    <QueryView query={query}>
      {(text) =>
        text === '' ? (
          <Note>The file is empty.</Note>
        ) : (
          <>
            <Code block className={classes['text']} tabIndex={0} aria-label="Contents">
              {text}
            </Code>
            {size > textMax && (
              <Hint>
                The first {formatBytes(textMax)} of {formatBytes(size)}
              </Hint>
            )}
          </>
        )
      }
    </QueryView>
  )
}

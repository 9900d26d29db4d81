import { Anchor, Card, Center, Code, Stack, Text } from '@mantine/core'
import { fileKindOf } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { client } from '../../parts/api/client.js'
import { formatBytes } from '../../parts/format.js'
import { QueryView } from '../../parts/query-view.js'
import { Hint, SectionTitle } from '../../parts/text.js'
import { downloadUrl } from './links.js'
import { PdfFrame } from './pdf-frame.js'
import type { File } from './queries.js'
import classes from './files.module.css'

/** In bytes. */
const textMax = 64 * 1024
/** Larger images are not loaded without being asked for. In bytes. */
const imageMax = 20 * 2 ** 20

/** Shows images, sound, video, PDF files and the beginning of a text. */
export function Preview({ file }: { readonly file: File }) {
  return (
    <Card withBorder>
      <Stack gap="md" h="100%">
        <SectionTitle>Preview</SectionTitle>
        <PreviewContents key={file.media_type} file={file} />
      </Stack>
    </Card>
  )
}

interface Props {
  readonly file: File
  /** Whether it has the space of a window. */
  readonly isLarge?: boolean
}

/**
 * The contents of a file. Nothing of it can run: an element shows it, a text is text, and only PDF files are documents, whose type and
 * policy the server sets.
 */
export function PreviewContents({ file, isLarge = false }: Props) {
  const { id, name, media_type: type, size } = file
  const [hasFailed, setFailed] = useState(false)
  const kind = fileKindOf(type)
  if (kind === 'text') return <TextBeginning id={id} size={size} isLarge={isLarge} />
  if (hasFailed) return <Note>The browser cannot show this file.</Note>
  const fail = () => setFailed(true)
  const className = classes[isLarge ? 'largePreview' : 'preview']
  const embedded = { src: downloadUrl(id), onError: fail }
  // Only what the user asks for is loaded.
  const media = { ...embedded, controls: true, preload: isLarge ? 'metadata' : 'none', 'aria-label': name }
  if (kind === 'sound') return <audio {...media} className={classes['sound']} />
  if (kind === 'video') return <video {...media} className={className} />
  if (kind === 'pdf') return <Pdf file={file} isLarge={isLarge} />
  if (kind !== 'image') return <Note>Files of this type have no preview.</Note>
  if (size > imageMax) return <Note>The image is too large for a preview.</Note>
  return <img {...embedded} alt={name} className={className} />
}

function Pdf({ file, isLarge }: Required<Props>) {
  if (navigator.pdfViewerEnabled) return <PdfFrame file={file} className={classes[isLarge ? 'largePdf' : 'pdf']} />
  return (
    <Note>
      This browser shows no PDF files.{' '}
      <Anchor href={downloadUrl(file.id)} size="sm" underline="always">
        Download the file
      </Anchor>
    </Note>
  )
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

interface TextProps extends Required<Pick<Props, 'isLarge'>> {
  readonly id: number
  readonly size: number
}

function TextBeginning({ id, size, isLarge }: TextProps) {
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
            <Code block className={classes[isLarge ? 'largeText' : 'text']} tabIndex={0} aria-label="Contents">
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

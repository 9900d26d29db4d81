import { Anchor, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { IconChevronLeft, IconChevronRight, IconDownload } from '@tabler/icons-react'
import { useEffect, useRef, type KeyboardEvent, type RefObject } from 'react'
import { Link } from 'react-router'
import { formatBytes } from '../../parts/format.js'
import { IconAction } from '../../parts/icon-action.js'
import { isShortcut } from '../../parts/page-key.js'
import { useIsNarrow } from '../../parts/use-is-narrow.js'
import { focusFile } from './file-name.js'
import classes from './files.module.css'
import { fileType } from './file-type.js'
import { downloadUrl } from './links.js'
import { PreviewContents } from './preview.js'
import type { File } from './queries.js'

interface Props {
  /** Undefined while the dialog is closed. */
  readonly file: File | undefined
  /** The files in the order of the list. */
  readonly order: RefObject<readonly File[]>
  readonly onOpen: (id: number) => void
  readonly onClose: () => void
}

const steps: Readonly<Partial<Record<string, number>>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }

/** Where a key has another meaning: it seeks in a sound or video, scrolls a text, or presses a button. */
const uses = { arrows: 'audio, video', scroll: '[aria-label="Contents"]', space: 'button, a, audio, video, iframe' }

/** Shows a file over the list. Arrow keys go to the files beside it, Space and Escape close it. */
export function PreviewDialog({ file, order, onOpen, onClose }: Props) {
  const isNarrow = useIsNarrow()
  useFocusOfLast(file?.id)
  const step = (by: number) => {
    const files = order.current
    const next = files[files.findIndex(({ id }) => id === file?.id) + by]
    if (next !== undefined) onOpen(next.id)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, target, shiftKey } = event
    if (shiftKey || isShortcut(event) || !(target instanceof Element)) return
    const by = steps[key]
    const isVertical = key === 'ArrowDown' || key === 'ArrowUp'
    const isStep = by !== undefined && !target.closest(uses.arrows) && !(isVertical && target.closest(uses.scroll))
    const isEnd = key === ' ' && !event.repeat && !target.closest(uses.space)
    if (!isStep && !isEnd) return
    event.preventDefault()
    if (isEnd) onClose()
    else if (by !== undefined) step(by)
  }
  return (
    <Modal
      opened={file !== undefined}
      onClose={onClose}
      title={file?.name ?? ''}
      size={1100}
      fullScreen={isNarrow}
      returnFocus={false}
      onKeyDown={onKeyDown}
    >
      {file && (
        <Stack gap="sm" tabIndex={-1} data-autofocus style={{ outline: 'none' }}>
          <div className={classes['stage']}>
            <PreviewContents key={file.id} file={file} isLarge />
          </div>
          <Group justify="space-between">
            <Text size="sm" c="dimmed">
              {fileType(file)}, {formatBytes(file.size)} ·{' '}
              <Anchor component={Link} to={`/files/${String(file.id)}`} size="sm" underline="always">
                Details
              </Anchor>
            </Text>
            <Group gap="xs">
              <IconAction icon={IconChevronLeft} label="Previous file" onClick={() => step(-1)} />
              <IconAction icon={IconChevronRight} label="Next file" onClick={() => step(1)} />
              <Button
                component="a"
                href={downloadUrl(file.id)}
                size="xs"
                variant="default"
                leftSection={<IconDownload size={16} />}
              >
                Download
              </Button>
            </Group>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}

/** Gives the focus back to the file that was shown last, or to the element that had it before. */
function useFocusOfLast(id: number | undefined): void {
  const last = useRef<number>(undefined)
  const opener = useRef<Element>(null)
  useEffect(() => {
    if (id !== undefined) {
      if (last.current === undefined) opener.current = document.activeElement
      last.current = id
      return
    }
    if (last.current === undefined) return
    if (!focusFile(last.current) && opener.current instanceof HTMLElement) opener.current.focus()
    last.current = undefined
  }, [id])
}

import { Box, Group, Text } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { fileKindOf } from '@svc/contract'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, useState } from 'react'
import { formatBytes } from '../../parts/format.js'
import { SelectBox } from '../../parts/selection/select-box.js'
import type { Selection } from '../../parts/selection/use-selection.js'
import { useRowGuards } from '../../parts/use-row-guards.js'
import { useTopInPage } from '../../parts/use-top-in-page.js'
import { FileIcon } from './file-icon.js'
import { FileMenu } from './file-menu.js'
import { FileName } from './file-name.js'
import { fileType } from './file-type.js'
import classes from './files.module.css'
import { downloadUrl } from './links.js'
import type { File } from './queries.js'

interface Props {
  readonly files: readonly File[]
  readonly selection: Selection<File>
  readonly preview: (id: number) => void
  /** Called when the user comes near the last file, to load more. */
  readonly onEnd: () => void
}

/** Of a tile with its gap, in pixels; as in files.module.css. */
const tile = { minWidth: 172, height: 212 }
/** How many rows before the last one `onEnd` is called. */
const rowsBeforeEnd = 10

/** The files as tiles with pictures. Only the tiles in view are in the page. */
export function FileGrid({ files, selection, preview, onEnd }: Props) {
  const list = useRef<HTMLUListElement>(null)
  const { ref: frame, width } = useElementSize()
  const columns = Math.max(2, Math.floor(width / tile.minWidth))
  const rows = Math.ceil(files.length / columns)
  const top = useTopInPage(list)
  const virtual = useWindowVirtualizer({
    count: width === 0 ? 0 : rows,
    scrollMargin: top,
    estimateSize: () => tile.height,
    overscan: 4,
  })
  const { order } = selection
  useEffect(() => {
    order.current = files
  }, [order, files])
  const guards = useRowGuards({ sorted: files, rowKey: idOf, view: list })
  const inView = virtual.getVirtualItems()
  const [first, last] = [inView[0], inView.at(-1)]
  const isNearEnd = last !== undefined && last.index >= rows - rowsBeforeEnd
  useEffect(() => {
    if (isNearEnd) onEnd()
  }, [isNearEnd, files.length, onEnd])
  const start = (first?.index ?? 0) * columns
  const shown = files.slice(start, ((last?.index ?? -1) + 1) * columns)
  return (
    <div ref={frame}>
      <ul
        ref={list}
        aria-label="Files"
        className={classes['grid']}
        style={{
          gridTemplateColumns: `repeat(${String(columns)}, minmax(0, 1fr))`,
          height: rows * tile.height,
          paddingTop: (first?.start ?? top) - top,
        }}
        {...guards}
      >
        {shown.map((file, index) => (
          <li
            key={file.id}
            data-index={start + index}
            tabIndex={-1}
            data-selected={selection.ids.has(file.id) || undefined}
            aria-setsize={files.length}
            aria-posinset={start + index + 1}
            className={classes['tile']}
          >
            <Thumbnail key={file.media_type} file={file} open={() => preview(file.id)} />
            <Box className={classes['tileSelect'] ?? ''}>
              <SelectBox row={file} title={file.name} selection={selection} />
            </Box>
            <Group gap={4} wrap="nowrap" align="flex-start" justify="space-between">
              <div className={classes['name']}>
                <FileName file={file} preview={preview} />
                <Text size="xs" c="dimmed" truncate>
                  {fileType(file)}, {formatBytes(file.size)}
                </Text>
              </div>
              <FileMenu file={file} onPreview={() => preview(file.id)} />
            </Group>
          </li>
        ))}
      </ul>
    </div>
  )
}

const idOf = ({ id }: File): number => id

/** Larger pictures have the icon of their kind: each tile in view loads the whole file. In bytes. */
const pictureMax = 4_000_000

interface ThumbnailProps {
  readonly file: File
  readonly open: () => void
}

/** A click opens the preview, like Space on the name, which is the control for the keyboard. */
function Thumbnail({ file: { id, media_type: type, size }, open }: ThumbnailProps) {
  const [hasFailed, setFailed] = useState(false)
  const isPicture = fileKindOf(type) === 'image' && size <= pictureMax && !hasFailed
  return (
    <div className={classes['picture']} onClick={open}>
      {isPicture ? (
        <img src={downloadUrl(id)} alt="" loading="lazy" decoding="async" onError={() => setFailed(true)} />
      ) : (
        <FileIcon mediaType={type} size={44} />
      )}
    </div>
  )
}

import { actionsColumn, sizeColumn, timeColumn } from '../../parts/columns.js'
import { Group, Switch, Text } from '@mantine/core'
import { CopyIcon } from '../../parts/copy.js'
import type { Column } from '../../parts/data-table.js'
import { formatBytes } from '../../parts/format.js'
import { Hint } from '../../parts/text.js'
import { TimeAgo } from '../../parts/time.js'
import { FileIcon } from './file-icon.js'
import { FileMenu } from './file-menu.js'
import { FileName } from './file-name.js'
import { fileType } from './file-type.js'
import { ShareToggle } from './share-toggle.js'
import type { File } from './queries.js'
import classes from './files.module.css'

interface Options {
  /** Whether the columns beside the name are a line below it. */
  readonly isPhone: boolean
  readonly preview: (id: number) => void
}

/** The columns of the list. */
export function fileColumns({ isPhone, preview }: Options): readonly Column<File>[] {
  return [
    {
      key: 'name',
      header: 'Name',
      sortBy: ({ name }) => name,
      cell: (file) => (
        <Group gap="xs" wrap="nowrap">
          <FileIcon mediaType={file.media_type} />
          <div className={classes['name']}>
            <FileName file={file} preview={preview} />
            {isPhone && <Facts file={file} />}
          </div>
        </Group>
      ),
    },
    ...(isPhone ? [] : wideColumns),
    actionsColumn((file) => <FileMenu file={file} onPreview={() => preview(file.id)} />, 52),
  ]
}

const wideColumns: readonly Column<File>[] = [
  sizeColumn('size', 'Size', { width: 95 }),
  {
    key: 'media_type',
    header: 'Type',
    width: 140,
    wideOnly: true,
    sortBy: fileType,
    cell: (file) => (
      <Text size="sm" c="dimmed" truncate maw={120} title={file.media_type}>
        {fileType(file)}
      </Text>
    ),
  },
  {
    key: 'shared',
    header: 'Shared',
    width: 120,
    wideOnly: true,
    sortBy: ({ shared }) => (shared ? 0 : 1),
    cell: (file) => <Shared file={file} />,
  },
  timeColumn('created_at', 'Uploaded', { width: 150, wideOnly: true }),
]

/** What wide screens have in columns. */
function Facts({ file: { size, shared, created_at: at } }: { readonly file: File }) {
  return (
    <Hint>
      {shared ? 'Shared' : 'Private'} · {formatBytes(size)} · <TimeAgo at={at} />
    </Hint>
  )
}

function Shared({ file }: { readonly file: File }) {
  return (
    <Group gap={4} wrap="nowrap">
      <ShareToggle file={file}>
        {(toggle) => <Switch size="sm" checked={file.shared} onChange={toggle} aria-label={`Share ${file.name}`} />}
      </ShareToggle>
      {file.share_url !== null && <CopyIcon value={file.share_url} what={`the link of ${file.name}`} />}
    </Group>
  )
}

import { actionsColumn, sizeColumn, timeColumn } from '../../parts/columns.js'
import { Anchor, Checkbox, Group, Switch, Text } from '@mantine/core'
import { Link } from 'react-router'
import { CopyIcon } from '../../parts/copy.js'
import type { Column } from '../../parts/data-table.js'
import { formatBytes } from '../../parts/format.js'
import { Hint } from '../../parts/text.js'
import { TimeAgo } from '../../parts/time.js'
import { FileIcon } from './file-icon.js'
import { FileMenu } from './file-menu.js'
import { fileType } from './file-type.js'
import { ShareToggle } from './share-toggle.js'
import type { File } from './queries.js'
import classes from './files.module.css'

interface Options {
  readonly selected: ReadonlySet<number>
  /** Replaces the ids of the selected files. */
  readonly select: (ids: ReadonlySet<number>) => void
  /** Whether the columns beside the name are a line below it. */
  readonly isPhone: boolean
}

/** The columns of the list. */
export function fileColumns({ selected, select, isPhone }: Options): readonly Column<File>[] {
  return [
    {
      key: 'select',
      header: 'Select',
      hidesHeader: true,
      width: 40,
      cell: ({ id, name }) => (
        <Checkbox
          size="xs"
          aria-label={`Select ${name}`}
          checked={selected.has(id)}
          onChange={({ currentTarget: { checked } }) => {
            const next = new Set(selected)
            if (checked) next.add(id)
            else next.delete(id)
            select(next)
          }}
        />
      ),
    },
    {
      key: 'name',
      header: 'Name',
      sortBy: ({ name }) => name,
      cell: (file) => (
        <Group gap="xs" wrap="nowrap">
          <FileIcon mediaType={file.media_type} />
          <div className={classes['name']}>
            <Name file={file} />
            {isPhone && <Facts file={file} />}
          </div>
        </Group>
      ),
    },
    ...(isPhone ? [] : wideColumns),
    actionsColumn((file) => <FileMenu file={file} />, 52),
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

function Name({ file: { id, name } }: { readonly file: File }) {
  return (
    <Anchor component={Link} to={`/files/${String(id)}`} size="sm" fw={500} lineClamp={2} title={name}>
      {name}
    </Anchor>
  )
}

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

import { Anchor, Checkbox, Group, Switch, Text } from '@mantine/core'
import { Link } from 'react-router'
import { CopyIcon } from '../../parts/copy.js'
import type { Column } from '../../parts/data-table.js'
import { formatBytes } from '../../parts/format.js'
import { TimeAgo } from '../../parts/time.js'
import { FileMenu } from './file-menu.js'
import { ShareToggle } from './share-toggle.js'
import type { File } from './queries.js'

/** The columns of the list. @param select replaces the ids of the selected files */
export function fileColumns(
  selected: ReadonlySet<number>,
  select: (ids: ReadonlySet<number>) => void,
): readonly Column<File>[] {
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
    { key: 'name', header: 'Name', sortBy: ({ name }) => name, cell: (file) => <Name file={file} /> },
    {
      key: 'size',
      header: 'Size',
      width: 95,
      align: 'right',
      sortBy: ({ size }) => size,
      cell: ({ size }) => formatBytes(size),
    },
    {
      key: 'media_type',
      header: 'Type',
      width: 140,
      wideOnly: true,
      sortBy: ({ media_type }) => media_type,
      cell: ({ media_type }) => (
        <Text size="sm" c="dimmed" truncate maw={120} title={media_type}>
          {media_type}
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
    {
      key: 'created_at',
      header: 'Uploaded',
      width: 150,
      wideOnly: true,
      sortBy: ({ created_at }) => created_at,
      cell: ({ created_at }) => <TimeAgo at={created_at} />,
    },
    {
      key: 'menu',
      header: 'Actions',
      hidesHeader: true,
      width: 52,
      align: 'right',
      cell: (file) => <FileMenu file={file} />,
    },
  ]
}

function Name({ file: { id, name } }: { readonly file: File }) {
  return (
    <Anchor component={Link} to={`/files/${String(id)}`} size="sm" fw={500} lineClamp={2} miw={160} title={name}>
      {name}
    </Anchor>
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

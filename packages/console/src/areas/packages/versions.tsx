import { countColumn, sizeColumn } from '../../parts/columns.js'
import { Accordion, Anchor, Badge, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { CopyIcon } from '../../parts/copy.js'
import { DataTable, type Column } from '../../parts/data-table.js'
import { counted } from '../../parts/format.js'
import { Note, SectionTitle } from '../../parts/text.js'
import { TimeAgo } from '../../parts/time.js'
import type { Artifact, Version } from './queries.js'

interface Props {
  /** Newest first. */
  readonly versions: readonly Version[]
  readonly latest: string | undefined
}

/** The versions of a package; an opened one shows its artifacts. */
export function Versions({ versions, latest }: Props) {
  const [open, setOpen] = useState<string | null>(latest ?? versions[0]?.version ?? null)
  return (
    <Stack gap="sm">
      <SectionTitle>Versions</SectionTitle>
      <Accordion variant="contained" value={open} onChange={setOpen} order={3}>
        {versions.map(({ version, published_at, downloads, artifacts }) => (
          <Accordion.Item key={version} value={version}>
            <Accordion.Control>
              <Group gap="xs">
                <Text fw={500}>{version}</Text>
                {version === latest && (
                  <Badge size="sm" variant="light" color="teal">
                    Latest
                  </Badge>
                )}
                {version.split('+', 1)[0]?.includes('-') === true && (
                  <Badge size="sm" variant="default" tt="none">
                    prerelease
                  </Badge>
                )}
                <Note>
                  {counted(artifacts.length, 'file')}, {counted(downloads, 'download')}, <TimeAgo at={published_at} />
                </Note>
              </Group>
            </Accordion.Control>
            <Accordion.Panel>
              {version === open && (
                <DataTable
                  label={`Files of ${version}`}
                  rows={artifacts}
                  rowKey={({ name }) => name}
                  columns={columns}
                />
              )}
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </Stack>
  )
}

const shownDigits = 12

const columns: readonly Column<Artifact>[] = [
  {
    key: 'name',
    header: 'File',
    sortBy: ({ name }) => name,
    cell: ({ name, url }) => (
      <Group gap={4} wrap="nowrap">
        <Anchor href={url} download size="sm">
          {name}
        </Anchor>
        <CopyIcon value={url} what={`the address of ${name}`} />
      </Group>
    ),
  },
  {
    key: 'sha256',
    header: 'SHA-256',
    wideOnly: true,
    cell: ({ sha256, name }) => (
      <Group gap={4} wrap="nowrap">
        <Text size="sm" ff="monospace" title={sha256}>
          {sha256.slice(0, shownDigits)}…
        </Text>
        <CopyIcon value={sha256} what={`the SHA-256 of ${name}`} />
      </Group>
    ),
  },
  sizeColumn('size', 'Size'),
  countColumn('downloads', 'Downloads', { wideOnly: true }),
]

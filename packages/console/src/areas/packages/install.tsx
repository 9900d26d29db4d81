import { Group, Paper, SegmentedControl, Select, Stack } from '@mantine/core'
import { useState } from 'react'
import { CodeSample } from '../../parts/code-sample.js'
import { Note, SectionTitle } from '../../parts/text.js'
import type { Artifact, Version } from './queries.js'

interface Props {
  readonly version: Version
  /** Whether the address of the latest release leads to this version. */
  readonly isLatest: boolean
}

/** The commands that download an artifact, and check it. */
export function Install({ version: { version, artifacts }, isLatest }: Props) {
  const [name, setName] = useState(artifacts[0]?.name ?? '')
  const [pin, setPin] = useState<'pinned' | 'latest'>('pinned')
  const artifact = artifacts.find((other) => other.name === name)
  if (artifact === undefined) return null
  const isPinned = pin === 'pinned' || !isLatest
  const command = isPinned ? pinnedCommand(artifact) : latestCommand(artifact, version)
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Group justify="space-between">
          <SectionTitle>Download</SectionTitle>
          {isLatest && (
            <SegmentedControl
              size="xs"
              aria-label="Which version the command downloads"
              value={pin}
              onChange={setPin}
              data={[
                { value: 'pinned', label: version },
                { value: 'latest', label: 'Latest release' },
              ]}
            />
          )}
        </Group>
        {artifacts.length > 1 && (
          <Select
            label="File"
            data={artifacts.map((other) => other.name)}
            value={name}
            onChange={(chosen) => setName(chosen ?? name)}
            allowDeselect={false}
            maw={420}
          />
        )}
        <CodeSample code={command} what="the command" />
        <Note>
          {isPinned
            ? 'The second line checks that the file is the published one.'
            : 'Always downloads the highest version that is not a prerelease. In CI, pin a version with its checksum.'}
        </Note>
      </Stack>
    </Paper>
  )
}

const pinnedCommand = ({ url, sha256, name }: Artifact) =>
  `curl --fail --remote-name ${url}\necho "${sha256}  ${name}" | sha256sum --check`

const latestCommand = ({ url }: Artifact, version: string) =>
  `curl --fail --location --remote-name ${url.replace(`/${encodeURIComponent(version)}/`, '/latest/').replace(`/${version}/`, '/latest/')}`

import { Alert, Group, List, Paper, Radio, Stack, Text, ThemeIcon } from '@mantine/core'
import { IconAlertTriangle, IconFileZip, IconFolder } from '@tabler/icons-react'
import { counted, formatBytes } from '../../parts/format.js'
import { Note } from '../../parts/text.js'
import type { Dropped, Root } from './dropped-files.js'
import { sizeOf } from './use-deploy.js'

interface Props {
  readonly dropped: Dropped
  readonly roots: readonly Root[]
  readonly root: Root | undefined
  readonly onRoot: (path: string) => void
  readonly disabled: boolean
}

/** What will be deployed, and what will not. */
export function Contents({ dropped, roots, root, onRoot, disabled }: Props) {
  if (dropped.kind === 'zip')
    return <Summary Icon={IconFileZip} name={dropped.zip.name} text={formatBytes(dropped.zip.size)} />
  const files = root?.files ?? []
  const text = `${counted(files.length, 'file')}, ${formatBytes(sizeOf(files))}`
  const folder = [dropped.name, root?.path.slice(0, -1)].filter(Boolean).join('/')
  return (
    <Stack gap="sm">
      <Summary Icon={IconFolder} name={folder || 'Dropped files'} text={text} />
      {roots.length > 1 && <Roots roots={roots} root={root} onRoot={onRoot} disabled={disabled} />}
      {files.length > 0 && root?.hasIndex === false && (
        <Alert color="yellow" icon={<IconAlertTriangle size={18} />} title="There is no index.html">
          The site will have no start page; its files work at their addresses. If a build tool creates the site, build
          it first and drop the folder that it writes, such as <code>dist</code>.
        </Alert>
      )}
      {files.length === 0 && (
        <Alert color="red" icon={<IconAlertTriangle size={18} />} title="There is nothing to deploy">
          The folder has no files for a site.
        </Alert>
      )}
      {dropped.skipped.length > 0 && <Skipped paths={dropped.skipped} />}
    </Stack>
  )
}

interface SummaryProps {
  readonly Icon: typeof IconFolder
  readonly name: string
  readonly text: string
}

function Summary({ Icon, name, text }: SummaryProps) {
  return (
    <Paper withBorder p="sm">
      <Group gap="sm" wrap="nowrap">
        <ThemeIcon variant="light" size="lg" aria-hidden>
          <Icon size={18} />
        </ThemeIcon>
        <div>
          <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>
          <Note>{text}</Note>
        </div>
      </Group>
    </Paper>
  )
}

/** The choice between the dropped folder and one inside it. */
function Roots({ roots, root, onRoot, disabled }: Omit<Props, 'dropped'>) {
  return (
    <Radio.Group
      label="Which folder is the site?"
      description="Its index.html becomes the first page."
      value={root?.path ?? ''}
      onChange={onRoot}
    >
      <Stack gap={6} mt="xs">
        {roots.map(({ path, files }) => (
          <Radio
            key={path}
            value={path}
            disabled={disabled}
            label={`${path === '' ? 'The whole folder' : `Only ${path}`} (${counted(files.length, 'file')})`}
          />
        ))}
      </Stack>
    </Radio.Group>
  )
}

const shownPaths = 3

function Skipped({ paths }: { readonly paths: readonly string[] }) {
  return (
    <div>
      <Note>
        Left out: {counted(paths.length, 'hidden or system file')} (such as <code>.git</code>, <code>.env</code>,{' '}
        <code>node_modules</code>).
      </Note>
      <List size="sm" c="dimmed">
        {paths.slice(0, shownPaths).map((path) => (
          <List.Item key={path} style={{ overflowWrap: 'anywhere' }}>
            {path}
          </List.Item>
        ))}
        {paths.length > shownPaths && <List.Item>and {counted(paths.length - shownPaths, 'other')}</List.Item>}
      </List>
    </div>
  )
}

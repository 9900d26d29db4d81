import { ActionIcon, Button, Group, Input, Paper, Stack, Text } from '@mantine/core'
import { versionArtifactsMax, withoutInvisible } from '@svc/contract'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useDropzone } from 'react-dropzone'
import { counted, formatBytes } from '../../parts/format.js'
import { Note } from '../../parts/text.js'

interface Props {
  readonly files: readonly File[]
  readonly onChange: (files: readonly File[]) => void
  readonly problem: string | undefined
  readonly disabled: boolean
}

/** The files of a version, by drag and drop or from a dialog of the browser. */
export function ArtifactFiles({ files, onChange, problem, disabled }: Props) {
  const { getRootProps, getInputProps, open, isDragActive } = useDropzone({
    noClick: true,
    noKeyboard: true,
    disabled,
    onDrop: (added) => {
      const names = new Set(added.map(({ name }) => name))
      onChange([...files.filter(({ name }) => !names.has(name)), ...added])
    },
  })
  const size = files.reduce((sum, file) => sum + file.size, 0)
  return (
    <Input.Wrapper
      label="Files"
      labelElement="div"
      description={`Archives, binaries, checksums: up to ${versionArtifactsMax}. A file keeps its name as the end of its address.`}
      error={problem}
    >
      <Paper
        {...getRootProps({ role: 'group', 'aria-label': 'Files', tabIndex: undefined })}
        withBorder
        p="sm"
        mt={6}
        {...(isDragActive && { bg: 'var(--mantine-primary-color-light)' })}
      >
        <input {...getInputProps({ 'aria-label': 'Choose files' })} />
        <Stack gap={6}>
          {files.map((file) => (
            <Group key={file.name} gap="xs" wrap="nowrap" justify="space-between">
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                {withoutInvisible(file.name)}
              </Text>
              <Group gap={4} wrap="nowrap">
                <Text size="sm" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
                  {formatBytes(file.size)}
                </Text>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  disabled={disabled}
                  aria-label={`Leave out ${withoutInvisible(file.name)}`}
                  onClick={() => onChange(files.filter((other) => other !== file))}
                >
                  <IconX size={16} />
                </ActionIcon>
              </Group>
            </Group>
          ))}
          <Group justify="space-between">
            <Note>
              {files.length === 0
                ? 'Drop files here, or choose them.'
                : `${counted(files.length, 'file')}, ${formatBytes(size)}`}
            </Note>
            <Button size="xs" variant="default" leftSection={<IconPlus size={14} />} onClick={open} disabled={disabled}>
              Choose files
            </Button>
          </Group>
        </Stack>
      </Paper>
    </Input.Wrapper>
  )
}

import { Button, Group, Paper, Stack, Text } from '@mantine/core'
import { IconFileZip, IconFolderOpen, IconUpload } from '@tabler/icons-react'
import { useRef, type ChangeEvent, type ReactNode } from 'react'
import { useDropzone } from 'react-dropzone'
import { droppedOf, type Dropped } from './dropped-files.js'
import classes from './drop-area.module.css'

interface Props {
  readonly onDrop: (dropped: Dropped) => void
  /** What happens with the files: "Drop a folder or a zip to deploy it". */
  readonly title: string
  readonly children?: ReactNode
}

/** Takes a folder or a zip, by drag and drop or from a dialog of the browser. */
export function DropArea({ onDrop, title, children }: Props) {
  const folderInput = useRef<HTMLInputElement>(null)
  const zipInput = useRef<HTMLInputElement>(null)
  const take = (files: readonly File[], pathOf: (file: File) => string) => {
    const dropped = droppedOf(files.map((file) => ({ path: pathOf(file), file })))
    if (dropped) onDrop(dropped)
  }
  const { getRootProps, isDragActive } = useDropzone({
    noClick: true,
    noKeyboard: true,
    onDrop: (files) => take(files, (file) => ('path' in file ? String(file.path) : file.name)),
  })
  const choose = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    take([...(currentTarget.files ?? [])], (file) => file.webkitRelativePath || file.name)
    // The same folder can be chosen again after it was changed.
    currentTarget.value = ''
  }
  return (
    <Paper
      {...getRootProps({ role: 'group', 'aria-label': title, tabIndex: undefined })}
      withBorder
      p="lg"
      className={isDragActive ? `${classes['area']} ${classes['active']}` : classes['area']}
    >
      <input
        ref={folderInput}
        type="file"
        hidden
        aria-label="Folder of the site"
        onChange={choose}
        {...{ webkitdirectory: '' }}
      />
      <input ref={zipInput} type="file" hidden aria-label="Zip of the site" accept=".zip" onChange={choose} />
      <Stack align="center" gap="xs" ta="center">
        <IconUpload size={28} stroke={1.5} aria-hidden />
        <Text fw={600}>{isDragActive ? 'Drop it here' : title}</Text>
        {Boolean(children) && (
          <Text size="sm" c="dimmed" maw={520} component="div">
            {children}
          </Text>
        )}
        <Group gap="xs" mt={4} justify="center">
          <Button
            variant="default"
            leftSection={<IconFolderOpen size={16} />}
            onClick={() => folderInput.current?.click()}
          >
            Choose a folder
          </Button>
          <Button variant="default" leftSection={<IconFileZip size={16} />} onClick={() => zipInput.current?.click()}>
            Choose a zip
          </Button>
        </Group>
      </Stack>
    </Paper>
  )
}

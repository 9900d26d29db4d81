import { Stack, Text } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { Note } from '../../parts/text.js'
import classes from './files.module.css'

/** Covers the window while files are dragged over it. */
export function DropHint() {
  return (
    <div className={classes['hint']}>
      <Stack align="center" gap="xs">
        <IconUpload size={48} stroke={1.5} aria-hidden />
        <Text fw={600}>Drop the files to upload them</Text>
        <Note>The files of folders are uploaded without the folders.</Note>
      </Stack>
    </div>
  )
}

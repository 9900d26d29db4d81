import { Progress, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useEffect } from 'react'
import { counted } from '../../parts/format.js'
import { isActive } from './upload/queue.js'
import { uploads } from './upload/uploads.js'
import { formatRemaining, sumsOf } from './upload-progress.js'
import { useUploads } from './use-uploads.js'

const noteId = 'uploads'

/** Shows the progress of the uploads as a notification while the user is on other pages than the one that calls this. */
export function useUploadNote(): void {
  useEffect(() => {
    notifications.hide(noteId)
    return () => {
      if (uploads.uploads().some(isActive))
        notifications.show({
          id: noteId,
          message: <UploadNote />,
          autoClose: false,
          withBorder: true,
          position: 'bottom-left',
        })
    }
  }, [])
}

function UploadNote() {
  const { active, failed, count, percent, remainingSeconds } = sumsOf(useUploads())
  const remaining = remainingSeconds === undefined ? '' : `, ${formatRemaining(remainingSeconds)}`
  return (
    <Stack gap={6}>
      <Text size="sm">
        {active > 0
          ? `Uploading ${counted(active, 'file')}${remaining}`
          : `${counted(count - failed, 'file')} uploaded`}
        {failed > 0 && `, ${String(failed)} failed: see Files`}
      </Text>
      {active > 0 && <Progress value={percent} size="sm" aria-label="Progress of the uploads" />}
    </Stack>
  )
}

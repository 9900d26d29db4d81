import { Button, Stack } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconChartBar, IconFiles, IconUpload } from '@tabler/icons-react'
import { areas } from '@svc/contract'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useDropzone } from 'react-dropzone'
import { Link } from 'react-router'
import { EmptyState } from '../../parts/empty-state.js'
import { Page } from '../../parts/page.js'
import { QueryView } from '../../parts/query-view.js'
import { useHiddenRows } from '../../parts/removal/removal.js'
import { fileList } from './changes.js'
import { DropHint } from './drop-hint.js'
import { addDropped } from './dropped.js'
import { isFiltered, useFileFilter, type FileConditions } from './file-filter.js'
import { FileList } from './file-list.js'
import { FilterFields } from './filter-fields.js'
import { filesQuery, usageQuery, withoutFiles } from './queries.js'
import { OpenUploads } from './open-uploads.js'
import { StorageUse } from './storage-use.js'
import { UploadPanel } from './upload-panel.js'
import { useUploadNote } from './upload-note.js'
import classes from './files.module.css'

/** How long no letter is typed until the server is asked, in milliseconds. */
const searchMs = 200

const requestsOf = (conditions: FileConditions) => [
  { op: areas.files.list, input: { ...conditions } },
  { op: areas.files.upload },
  { op: areas.files.uploadChunk },
  { op: areas.files.uploadFinalize },
  { op: areas.files.uploadList },
  { op: areas.files.uploadDiscard },
  { op: areas.files.usage },
]

/** The files of the account, and their upload. */
export function FilesPage() {
  const filter = useFileFilter()
  const wanted = filter.conditions
  const [conditions] = useDebouncedValue(wanted, searchMs)
  const query = useInfiniteQuery(filesQuery(conditions))
  const hidden = useHiddenRows(fileList)
  const { data } = query
  const pages = useMemo(() => withoutFiles(data?.pages ?? [], hidden), [data, hidden])
  const isEmpty = !isFiltered(wanted) && !isFiltered(conditions) && !query.isPlaceholderData && pages[0]?.total === 0
  const usage = useQuery(usageQuery)
  const dropzone = useDropzone({ noClick: true, noKeyboard: true, onDrop: addDropped })
  useUploadNote()
  const upload = (
    <Button leftSection={<IconUpload size={16} />} onClick={dropzone.open}>
      Upload files
    </Button>
  )
  return (
    <div {...dropzone.getRootProps({ className: classes['drop'], role: undefined, tabIndex: undefined })}>
      <input {...dropzone.getInputProps({ 'aria-label': 'Files to upload' })} />
      {dropzone.isDragGlobal && <DropHint />}
      <Page
        title="Files"
        lead="Store files and share them with a link. Large uploads continue after a lost connection."
        actions={
          <>
            <Button component={Link} to="/files/cdn" variant="default" leftSection={<IconChartBar size={16} />}>
              Edge cache
            </Button>
            {upload}
          </>
        }
        requests={requestsOf(conditions)}
      >
        <Stack gap="lg">
          {/* The list below shows the error of an unreachable server. */}
          {usage.data && <StorageUse {...usage.data} />}
          <UploadPanel />
          <OpenUploads />
          <Stack gap="sm">
            {(isFiltered(wanted) || (data && !isEmpty)) && (
              <FilterFields filter={filter} isSearching={query.isPlaceholderData || wanted !== conditions} />
            )}
            <QueryView query={query}>
              {() =>
                isEmpty ? (
                  <EmptyState icon={IconFiles} title="No files yet" action={upload}>
                    Drop files or folders anywhere on this page. A file is private until you share it.
                  </EmptyState>
                ) : (
                  <FileList filter={filter} query={query} pages={pages} />
                )
              }
            </QueryView>
          </Stack>
        </Stack>
      </Page>
    </div>
  )
}

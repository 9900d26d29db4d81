import { ActionIcon, Menu, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconDots, IconDownload, IconEye, IconLink, IconPencil, IconShare, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Confirm } from '../../parts/confirm.js'
import { copyText } from '../../parts/copy-text.js'
import { notifyDone, notifyError } from '../../parts/notify.js'
import { remove } from './changes.js'
import { downloadUrl, linkCopied } from './links.js'
import type { File } from './queries.js'
import { RenameDialog } from './rename-dialog.js'
import { ShareToggle } from './share-toggle.js'

interface Props {
  readonly file: File
  /** After it was deleted. */
  readonly onDeleted?: () => void
  /** Opens the preview; undefined where the file is shown already. */
  readonly onPreview?: () => void
}

/** What can be done with a file. */
export function FileMenu({ file, onDeleted, onPreview }: Props) {
  const [isRenaming, { open: openRename, close: closeRename }] = useDisclosure(false)
  const { id, name, share_url: link } = file
  return (
    <>
      <RenameDialog key={name} file={file} opened={isRenaming} onClose={closeRename} />
      <DeleteFile file={file} onDeleted={onDeleted}>
        {(askDelete) => (
          <ShareToggle file={file}>
            {(toggleShare) => (
              <Menu position="bottom-end" withinPortal>
                <Menu.Target>
                  <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${name}`}>
                    <IconDots size={16} />
                  </ActionIcon>
                </Menu.Target>
                <Menu.Dropdown>
                  {onPreview && (
                    <Menu.Item
                      leftSection={<IconEye size={16} />}
                      rightSection={
                        <Text size="xs" c="dimmed" visibleFrom="sm" aria-hidden>
                          Space
                        </Text>
                      }
                      onClick={onPreview}
                    >
                      Preview
                    </Menu.Item>
                  )}
                  <Menu.Item component="a" href={downloadUrl(id)} leftSection={<IconDownload size={16} />}>
                    Download
                  </Menu.Item>
                  <Menu.Item leftSection={<IconPencil size={16} />} onClick={openRename}>
                    Rename
                  </Menu.Item>
                  {link !== null && (
                    <Menu.Item
                      leftSection={<IconLink size={16} />}
                      onClick={() => void copyText(link).then(() => notifyDone(linkCopied), notifyError)}
                    >
                      Copy the link
                    </Menu.Item>
                  )}
                  <Menu.Item leftSection={<IconShare size={16} />} onClick={toggleShare}>
                    {file.shared ? 'Stop sharing' : 'Share'}
                  </Menu.Item>
                  <Menu.Divider />
                  <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={askDelete}>
                    Delete
                  </Menu.Item>
                </Menu.Dropdown>
              </Menu>
            )}
          </ShareToggle>
        )}
      </DeleteFile>
    </>
  )
}

interface DeleteProps {
  readonly file: File
  readonly onDeleted?: (() => void) | undefined
  readonly children: (ask: () => void) => ReactNode
}

function DeleteFile({ file: { id, name, shared }, onDeleted, children }: DeleteProps) {
  return (
    <Confirm
      title={`Delete ${name}?`}
      action="Delete the file"
      run={async () => {
        await remove(id)
        notifyDone(`${name} is deleted.`)
        onDeleted?.()
      }}
      trigger={children}
    >
      The file is deleted{shared && ', and its link stops working'}. This cannot be undone.
    </Confirm>
  )
}

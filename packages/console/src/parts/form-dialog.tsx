import { Drawer, Modal, type DrawerProps, type ModalProps } from '@mantine/core'
import { useDiscardGuard } from './discard-guard.js'

/** A dialog with a `SubmitForm`: it asks before a key or a click discards what was entered. */
export function FormModal({ onClose, children, closeOnEscape = true, ...props }: ModalProps) {
  const { close, isAsking, content } = useDiscardGuard(onClose, children)
  return (
    <Modal {...props} onClose={close} closeOnEscape={closeOnEscape && !isAsking}>
      {content}
    </Modal>
  )
}

/** A `FormModal` at the right side of the page. */
export function FormDrawer({ onClose, children, ...props }: DrawerProps) {
  const { close, isAsking, content } = useDiscardGuard(onClose, children)
  return (
    <Drawer position="right" {...props} onClose={close} closeOnEscape={!isAsking}>
      {content}
    </Drawer>
  )
}

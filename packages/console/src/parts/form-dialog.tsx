import { Button, Drawer, Group, Modal, Text, type DrawerProps, type ModalProps } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useCallback, useRef, type ReactNode } from 'react'

/** A dialog with a form. Before Escape, a click outside or the cross discards what has been entered, it asks. */
export function FormModal({ onClose, children, ...props }: ModalProps) {
  const { close, isAsking, content } = useEntered(onClose, children)
  return (
    <Modal {...props} onClose={close} closeOnEscape={!isAsking && props.closeOnEscape !== false}>
      {content}
    </Modal>
  )
}

/** A `FormModal` at the right side of the page. */
export function FormDrawer({ onClose, children, ...props }: DrawerProps) {
  const { close, isAsking, content } = useEntered(onClose, children)
  return (
    <Drawer position="right" {...props} onClose={close} closeOnEscape={!isAsking}>
      {content}
    </Drawer>
  )
}

/** The form, which notes that something is entered, and the question before that is discarded. */
function useEntered(onClose: () => void, form: ReactNode) {
  const hasEntered = useRef(false)
  const [isAsking, { open: ask, close: keep }] = useDisclosure(false)
  // Called when the form appears and when it is gone.
  const forget = useCallback(() => {
    hasEntered.current = false
    keep()
  }, [keep])
  const discard = () => {
    keep()
    onClose()
  }
  const content = (
    <>
      <div
        ref={forget}
        onInput={() => {
          hasEntered.current = true
        }}
      >
        {form}
      </div>
      <Modal opened={isAsking} onClose={keep} title="Discard what you have entered?" size="sm">
        <Text size="sm" mb="md">
          It has not been saved.
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={keep} data-autofocus>
            Keep it
          </Button>
          <Button color="red" onClick={discard}>
            Discard it
          </Button>
        </Group>
      </Modal>
    </>
  )
  const close = () => {
    // After the event: an open question would take the same Escape as its answer.
    if (hasEntered.current) setTimeout(ask)
    else onClose()
  }
  return { close, isAsking, content }
}

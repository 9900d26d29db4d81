import { Button, Drawer, Group, Modal, Text, type DrawerProps, type ModalProps } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useRef, type ReactNode } from 'react'
import { FormInDialog, type FormState } from './form-state.js'

/**
 * A dialog with a form that uses `useFormState`. Before Escape, a click outside or the cross discards what has been changed, it asks.
 * While the form is sent, it stays open: its answer would be lost.
 */
export function FormModal({ onClose, children, ...props }: ModalProps) {
  const { close, isAsking, content } = useQuestion(onClose, children)
  return (
    <Modal {...props} onClose={close} closeOnEscape={!isAsking && props.closeOnEscape !== false}>
      {content}
    </Modal>
  )
}

/** A `FormModal` at the right side of the page. */
export function FormDrawer({ onClose, children, ...props }: DrawerProps) {
  const { close, isAsking, content } = useQuestion(onClose, children)
  return (
    <Drawer position="right" {...props} onClose={close} closeOnEscape={!isAsking}>
      {content}
    </Drawer>
  )
}

/** The form, and the question before its changes are discarded. */
function useQuestion(onClose: () => void, form: ReactNode) {
  const state = useRef<FormState>(undefined)
  const [isAsking, { open: ask, close: keep }] = useDisclosure(false)
  const content = (
    <>
      <FormInDialog value={state}>{form}</FormInDialog>
      <Modal opened={isAsking} onClose={keep} title="Discard what you have entered?" size="sm">
        <Text size="sm" mb="md">
          It has not been saved.
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={keep} data-autofocus>
            Keep it
          </Button>
          <Button
            color="red"
            onClick={() => {
              keep()
              onClose()
            }}
          >
            Discard it
          </Button>
        </Group>
      </Modal>
    </>
  )
  const close = () => {
    if (state.current?.isPending === true) return
    // After the event: an open question would take the same Escape as its answer.
    if (state.current?.isChanged === true) setTimeout(ask)
    else onClose()
  }
  return { close, isAsking, content }
}

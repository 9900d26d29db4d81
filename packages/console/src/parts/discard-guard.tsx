import { Button, Group, Modal, Text } from '@mantine/core'
import { useEffect, useState, type ReactNode } from 'react'
import { NavigationType, useBeforeUnload, useBlocker, type BlockerFunction } from 'react-router'
import { FormStateReceiver, type FormState } from './form-state.js'

/** What the answers to the question do. */
interface Question {
  readonly discard: () => void
  readonly keep?: () => void
}

/**
 * Asks before the input of a form is discarded, also by the back button and by links to other pages. While the form is sent, only
 * those close it: its answer would be lost.
 *
 * @param children a `SubmitForm`, or a form that uses `useFormState`
 * @returns `content` with the form; `close`, for Escape and other keys and clicks that may be mistakes; and whether it asks
 */
export function useDiscardGuard(onClose: () => void, children: ReactNode) {
  const [form, setForm] = useState<FormState>()
  const [question, setQuestion] = useState<Question>()
  const answer = (act: (() => void) | undefined) => () => {
    setQuestion(undefined)
    act?.()
  }
  const hasInput = form?.isChanged === true && !form.isPending
  const content = (
    <>
      <FormStateReceiver value={setForm}>{children}</FormStateReceiver>
      {hasInput && <LeaveGuard onBlocked={setQuestion} />}
      <Modal
        opened={question !== undefined}
        onClose={answer(question?.keep)}
        title="Discard what you have entered?"
        size="sm"
      >
        <Text size="sm" mb="md">
          It has not been saved.
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={answer(question?.keep)} data-autofocus>
            Keep it
          </Button>
          <Button color="red" onClick={answer(question?.discard)}>
            Discard it
          </Button>
        </Group>
      </Modal>
    </>
  )
  const close = () => {
    // After the event: an open question would take the same Escape as its answer.
    if (hasInput) setTimeout(() => setQuestion({ discard: onClose }))
    else if (form?.isPending !== true) onClose()
  }
  return { content, close, isAsking: question !== undefined }
}

/** Stops the back button, and links to other pages, until the question is answered. Before a reload, the browser asks. */
function LeaveGuard({ onBlocked }: { readonly onBlocked: (question: Question) => void }) {
  const blocker = useBlocker(leaves)
  useEffect(() => {
    if (blocker.state === 'blocked') onBlocked({ discard: blocker.proceed, keep: blocker.reset })
  }, [blocker, onBlocked])
  useBeforeUnload((event) => event.preventDefault())
  return null
}

/** Whether a navigation may leave the form. Pages close their own dialogs by replacing the address. */
const leaves: BlockerFunction = ({ historyAction, currentLocation, nextLocation }) => {
  if (historyAction === NavigationType.Pop || currentLocation.pathname !== nextLocation.pathname) return true
  if (historyAction === NavigationType.Replace) return false
  const next = new URLSearchParams(nextLocation.search)
  return [...new URLSearchParams(currentLocation.search).keys()].some((name) => !next.has(name))
}

import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState, type ReactNode } from 'react'
import { ErrorNote } from './errors.js'
import { notifyError } from './notify.js'
import { useIsShown } from './use-is-shown.js'
import { useSingleMutation } from './use-single-mutation.js'

interface Props {
  /** A question that names the thing: "Release example.com?" */
  readonly title: string
  /** What is lost, and what stays. */
  readonly children: ReactNode
  /** The verb on the button: "Release the zone". */
  readonly action: string
  /** For what cannot be undone: a text that the user types first, such as the name of the zone. */
  readonly word?: string | undefined
  readonly run: () => Promise<unknown>
  /** Opens the dialog. */
  readonly trigger: (open: () => void) => ReactNode
}

/** Asks before a change that cannot be undone, and shows its error in place. */
export function Confirm({ title, children, action, word, run, trigger }: Props) {
  const [isOpen, { open, close }] = useDisclosure(false)
  const [typed, setTyped] = useState('')
  const isShown = useIsShown()
  const mutation = useSingleMutation({
    mutationFn: run,
    onSuccess: close,
    onError: (error) => {
      if (!isShown()) notifyError(error)
    },
  })
  // While the action runs, the dialog stays: its error would be lost.
  const cancel = () => {
    if (!mutation.isPending) close()
  }
  const start = () => {
    setTyped('')
    mutation.reset()
    open()
  }
  const isReady = word === undefined || typed.trim() === word
  return (
    <>
      {trigger(start)}
      <Modal opened={isOpen} onClose={cancel} title={title}>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (isReady && !mutation.isPending) mutation.mutate()
          }}
        >
          <Stack gap="md">
            <Text size="sm" component="div">
              {children}
            </Text>
            {word !== undefined && (
              <TextInput
                label={`Type ${word} to confirm`}
                value={typed}
                onChange={(event) => setTyped(event.currentTarget.value)}
                data-autofocus
                spellCheck={false}
                autoCapitalize="none"
              />
            )}
            {mutation.isError && <ErrorNote error={mutation.error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={cancel} disabled={mutation.isPending}>
                Cancel
              </Button>
              <Button type="submit" color="red" disabled={!isReady} loading={mutation.isPending}>
                {action}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  )
}

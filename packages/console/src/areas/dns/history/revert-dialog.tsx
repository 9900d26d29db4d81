import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { SvcError } from '@svc/client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { queryClient } from '../../../parts/api/query-client.js'
import { ErrorNote } from '../../../parts/errors.js'
import { notifyError, notifyUndo } from '../../../parts/notify.js'
import { QueryView } from '../../../parts/query-view.js'
import { useIsShown } from '../../../parts/use-is-shown.js'
import { useSingleMutation } from '../../../parts/use-single-mutation.js'
import { takeBack } from '../queries.js'
import { isEmpty } from './diff.js'
import { DifferenceView } from './difference-view.js'
import { applyRevert, dryRunQuery, type Outcome, type Revert } from './revert.js'

interface Props {
  readonly zone: string
  /** Undefined while the dialog is closed. */
  readonly revert: Revert | undefined
  readonly onClose: () => void
}

/** Shows what a revert would change, and makes it. */
export function RevertDialog({ zone, revert, onClose }: Props) {
  return (
    <Modal
      opened={revert !== undefined}
      onClose={onClose}
      size="xl"
      title={revert && ('to' in revert ? `Return ${zone} to the past?` : 'Take back this change?')}
    >
      {revert && <Preview key={JSON.stringify(revert)} zone={zone} revert={revert} onClose={onClose} />}
    </Modal>
  )
}

function Preview({ zone, revert, onClose }: Props & { readonly revert: Revert }) {
  const query = useQuery(dryRunQuery(zone, revert))
  const [isChanged, setIsChanged] = useState(false)
  const isShown = useIsShown()
  const apply = useSingleMutation({
    mutationFn: (shown: Outcome['effect']) => applyRevert(zone, revert, shown),
    onSuccess: (outcome) => {
      if (outcome.isDone) {
        onClose()
        notifyReverted(zone, revert, outcome)
      } else if (isShown()) {
        queryClient.setQueryData(dryRunQuery(zone, revert).queryKey, outcome.effect)
        setIsChanged(true)
      } else notifyError(new Error(`${zone} has changed meanwhile, so nothing was taken back.`))
    },
    onError: (error) => {
      if (!isShown()) notifyError(error)
    },
  })
  if (query.isError)
    return (
      <Stack>
        <ErrorNote
          error={query.error}
          retry={query.error instanceof SvcError ? undefined : () => void query.refetch()}
        />
        <Buttons onClose={onClose} />
      </Stack>
    )
  return (
    <QueryView query={query}>
      {(effect) => (
        <Stack gap="sm">
          {isEmpty(effect) ? (
            <Alert color="teal" icon={<IconCircleCheck size={18} />}>
              The records are so already: there is nothing to change.
            </Alert>
          ) : (
            <>
              {isChanged && (
                <Alert color="orange" icon={<IconAlertTriangle size={18} />} role="alert" title="The zone has changed">
                  Nothing was taken back. This is what would change now: check it again.
                </Alert>
              )}
              <Text size="sm">
                {'to' in revert
                  ? 'All records of the zone become what they were. This would change:'
                  : 'What the change added is removed, and what it removed is restored. This would change:'}
              </Text>
              <DifferenceView difference={effect} />
            </>
          )}
          {apply.isError && <ErrorNote error={apply.error} />}
          <Buttons
            onClose={onClose}
            confirm={
              isEmpty(effect)
                ? undefined
                : {
                    label: 'to' in revert ? 'Return the zone' : 'Take it back',
                    isPending: apply.isPending,
                    run: () => apply.mutate(effect),
                  }
            }
          />
        </Stack>
      )}
    </QueryView>
  )
}

interface ButtonsProps {
  readonly onClose: () => void
  readonly confirm?: { readonly label: string; readonly isPending: boolean; readonly run: () => void } | undefined
}

function Buttons({ onClose, confirm }: ButtonsProps) {
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={onClose}>
        {confirm ? 'Cancel' : 'Close'}
      </Button>
      {confirm && (
        <Button onClick={confirm.run} loading={confirm.isPending}>
          {confirm.label}
        </Button>
      )}
    </Group>
  )
}

/** Offers to undo a revert, which is a change itself. */
function notifyReverted(zone: string, revert: Revert, { effect }: Outcome): void {
  const text = 'to' in revert ? `${zone} is as it was.` : 'The change is taken back.'
  notifyUndo(text, () => takeBack(zone, effect.serial))
}

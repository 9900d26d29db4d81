import { Button, Group, Stack } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { ErrorNote } from '../../parts/errors.js'
import { counted } from '../../parts/format.js'
import { notifyDone } from '../../parts/notify.js'
import { useSingleMutation } from '../../parts/use-single-mutation.js'
import { FailingState } from './failing-state.js'
import { requestsKey, type Deployment, type Detail } from './queries.js'

interface Props {
  readonly webhook: Detail
  readonly failing: NonNullable<Deployment['failing']>
}

/** How many requests fail, and a way to forward all of them again. */
export function ForwardFailed({ webhook: { id, target, enabled }, failing }: Props) {
  const redeliver = useSingleMutation({
    mutationFn: () => client.deployments.redeliverFailed({ id }),
    onSuccess: async ({ redelivered }) => {
      notifyDone(
        redelivered === 0
          ? 'No request of this webhook fails.'
          : `${counted(redelivered, 'request')} ${redelivered === 1 ? 'is' : 'are'} being forwarded again.`,
      )
      await queryClient.invalidateQueries({ queryKey: requestsKey(id) })
    },
  })
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <FailingState failing={failing} />
        {target !== null && enabled && (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconRefresh size={16} />}
            loading={redeliver.isPending}
            onClick={() => redeliver.mutate()}
          >
            Forward all failed again
          </Button>
        )}
      </Group>
      {redeliver.isError && <ErrorNote error={redeliver.error} />}
    </Stack>
  )
}

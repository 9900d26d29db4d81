import { Button, Drawer, Group, Stack, Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { Confirm } from '../../parts/confirm.js'
import { CopyIcon } from '../../parts/copy.js'
import { Fact } from '../../parts/fact.js'
import { formatTime } from '../../parts/format.js'
import { notifyDone } from '../../parts/notify.js'
import { submissionsKey, type Detail, type Submission } from './queries.js'
import { valueText } from './submission-table.js'

interface Props {
  readonly form: Detail
  /** Undefined while the drawer is closed. */
  readonly submission: Submission | undefined
  readonly onClose: () => void
}

/** One submission with all its fields. */
export function SubmissionDrawer({ form, submission, onClose }: Props) {
  return (
    <Drawer
      opened={submission !== undefined}
      onClose={onClose}
      position="right"
      size="lg"
      title={submission && (submission.subject ?? `Submission ${String(submission.id)}`)}
    >
      {submission && <Content form={form} submission={submission} onClose={onClose} />}
    </Drawer>
  )
}

function Content({ form, submission, onClose }: Props & { readonly submission: Submission }) {
  const { id, received_at, network, user_agent, fields } = submission
  return (
    <Stack>
      {Object.entries(fields).map(([name, value]) => (
        <Group key={name} justify="space-between" align="flex-start" wrap="nowrap">
          <Fact label={name}>
            <Text size="sm" style={{ whiteSpace: 'pre-wrap' }}>
              {valueText(value)}
            </Text>
          </Fact>
          <CopyIcon value={valueText(value)} what={name} />
        </Group>
      ))}
      <Fact label="Received">{formatTime(received_at)}</Fact>
      <Fact label="Network of the sender">{network}</Fact>
      <Fact label="Browser">{user_agent === '' ? 'unknown' : user_agent}</Fact>
      <Group justify="flex-end">
        <Confirm
          title={`Delete submission ${String(id)}?`}
          action="Delete the submission"
          run={async () => {
            await client.deployments.submissionDelete({ id: form.id, submission_id: id })
            onClose()
            notifyDone(`Submission ${String(id)} is deleted.`)
            await queryClient.invalidateQueries({ queryKey: submissionsKey(form.id) })
          }}
          trigger={(open) => (
            <Button variant="default" leftSection={<IconTrash size={16} />} onClick={open}>
              Delete the submission
            </Button>
          )}
        >
          This cannot be undone. The chart and the number of uses still count it.
        </Confirm>
      </Group>
    </Stack>
  )
}

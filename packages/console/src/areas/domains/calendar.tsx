import { Button, Group, Stack, Table, Text } from '@mantine/core'
import { IconCalendarPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { Confirm } from '../../parts/confirm.js'
import { CloseButton, SecretOnce, SecretOnceDialog } from '../../parts/secret-once.js'
import { ErrorNote } from '../../parts/errors.js'
import { notifyDone } from '../../parts/notify.js'
import { QueryView } from '../../parts/query-view.js'
import { TimeAgo } from '../../parts/time.js'
import { useSingleMutation } from '../../parts/use-single-mutation.js'
import { calendarQuery } from './queries.js'

interface Props {
  readonly opened: boolean
  readonly onClose: () => void
}

type Created = Awaited<ReturnType<typeof client.domains.calendarCreate>>
type OnCreated = (created: Created) => void

/** The calendar of expiry dates: its secret address, and how to subscribe to it. */
export function CalendarDialog({ opened, onClose }: Props) {
  return (
    <SecretOnceDialog
      opened={opened}
      onClose={onClose}
      title="Calendar of expiry dates"
      size="lg"
      create={(onCreated: OnCreated) => (
        <Stack>
          <Calendar address={<Address onCreated={onCreated} />} />
          <CloseButton onClose={onClose}>Done</CloseButton>
        </Stack>
      )}
    >
      {({ url }) => <Calendar address={<SecretOnce value={url} what="address" />} />}
    </SecretOnceDialog>
  )
}

function Calendar({ address }: { readonly address: ReactNode }) {
  return (
    <>
      <Text size="sm">
        Your calendar shows each domain on the day on which it expires, with reminders 30, 7 and 1 days before.
      </Text>
      {address}
      <Programs />
    </>
  )
}

const reload = () => queryClient.invalidateQueries(calendarQuery)

function Address({ onCreated }: { readonly onCreated: OnCreated }) {
  const query = useQuery(calendarQuery)
  return (
    <QueryView query={query}>
      {({ created_at }) =>
        created_at === null ? <NoAddress onCreated={onCreated} /> : <HasAddress at={created_at} onCreated={onCreated} />
      }
    </QueryView>
  )
}

async function createAddress(onCreated: OnCreated): Promise<void> {
  onCreated(await client.domains.calendarCreate())
  await reload()
}

function NoAddress({ onCreated }: { readonly onCreated: OnCreated }) {
  const creating = useSingleMutation({ mutationFn: () => createAddress(onCreated) })
  return (
    <>
      <Text size="sm">Create a secret address, and enter it in your calendar program.</Text>
      {creating.isError && <ErrorNote error={creating.error} />}
      <Group>
        <Button
          leftSection={<IconCalendarPlus size={16} />}
          loading={creating.isPending}
          onClick={() => creating.mutate()}
        >
          Create the address
        </Button>
      </Group>
    </>
  )
}

function HasAddress({ at, onCreated }: { readonly at: string; readonly onCreated: OnCreated }) {
  return (
    <>
      <Text size="sm" component="div">
        Its address was created <TimeAgo at={at} />, and is not shown again. Anyone with the address can read the
        calendar.
      </Text>
      <Group>
        <Confirm
          title="Replace the address?"
          action="Replace the address"
          run={() => createAddress(onCreated)}
          trigger={(open) => (
            <Button variant="default" onClick={open}>
              Replace the address
            </Button>
          )}
        >
          The old address stops working at once. Calendars that use it need the new one.
        </Confirm>
        <Confirm
          title="Remove the address?"
          action="Remove the address"
          run={async () => {
            await client.domains.calendarDelete()
            await reload()
            notifyDone('The address of the calendar is removed.')
          }}
          trigger={(open) => (
            <Button variant="default" onClick={open}>
              Remove the address
            </Button>
          )}
        >
          Calendars that use the address get no more dates. You can create a new address later.
        </Confirm>
      </Group>
    </>
  )
}

/** Where programs take the address of a calendar. */
const programs = [
  ['Google Calendar', 'In a browser: Other calendars, +, From URL. The server must be reachable from the internet.'],
  ['Apple Calendar', 'On a Mac: File, New Calendar Subscription. Turn off “Remove: Alerts” to get the reminders.'],
  ['iPhone and iPad', 'Calendar: Calendars, Add Calendar, Add Subscription Calendar.'],
  ['Thunderbird', 'New Calendar, On the Network; leave the user name empty.'],
] as const

function Programs() {
  return (
    <Table aria-label="Where to enter the address" verticalSpacing={6} fz="sm">
      <Table.Tbody>
        {programs.map(([program, where]) => (
          <Table.Tr key={program}>
            <Table.Th scope="row" w={140}>
              {program}
            </Table.Th>
            <Table.Td>{where}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

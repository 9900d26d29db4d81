import { Alert, Button, Group, List, Text, Textarea } from '@mantine/core'
import { areas } from '@svc/contract'
import { useState } from 'react'
import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { FormModal } from '../../parts/form-dialog.js'
import { counted } from '../../parts/format.js'
import { notifyDone } from '../../parts/notify.js'
import { fieldOf } from '../../parts/schema.js'
import { SubmitForm } from '../../parts/submit-form.js'
import { useSingleMutation } from '../../parts/use-single-mutation.js'
import { domainsQuery } from '../../parts/registration/queries.js'
import { chunked, namesIn, nameProblems, withoutNames, type NameProblem } from './domain-list.js'

/** How many names a request takes. */
const namesMax = fieldOf(areas.domains.add, 'domains').maxItems ?? 1

interface Props {
  readonly opened: boolean
  readonly onClose: () => void
}

/** Adds a pasted list of domains. */
export function AddDomains({ opened, onClose }: Props) {
  return (
    <FormModal opened={opened} onClose={onClose} title="Add domains" size="lg">
      <Form onClose={onClose} />
    </FormModal>
  )
}

/** A refused request, with the message about each refused name. */
class RefusedNames extends Error {
  constructor(
    override readonly cause: unknown,
    readonly problems: readonly NameProblem[],
  ) {
    super('Some names were refused')
  }
}

function Form({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('')
  const names = namesIn(text)
  const adding = useSingleMutation({
    mutationFn: async (list: readonly string[]) => {
      for (const part of chunked(list, namesMax)) {
        try {
          await client.domains.add({ domains: part })
        } catch (error) {
          throw new RefusedNames(error, nameProblems(error, part))
        }
        // What is added leaves the list, so that a refused part can be corrected and sent again.
        setText((now) => withoutNames(now, new Set(part)))
      }
      return list.length
    },
    onSuccess: (count) => {
      notifyDone(`${counted(count, 'domain is', 'domains are')} added. The expiry dates appear within seconds.`)
      onClose()
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: domainsQuery.queryKey }),
  })
  const refused = adding.error instanceof RefusedNames ? adding.error : undefined
  const hasProblems = refused !== undefined && refused.problems.length > 0
  const form = {
    submit: () => adding.mutate(names),
    isChanged: text !== '',
    isPending: adding.isPending,
    error: hasProblems ? undefined : (refused?.cause ?? adding.error),
  }
  const buttons = (
    <Group justify="space-between">
      <Text size="sm" c="dimmed" role="status">
        {names.length > 0 && counted(names.length, 'domain')}
      </Text>
      <Group>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" loading={adding.isPending} disabled={names.length === 0}>
          Add the domains
        </Button>
      </Group>
    </Group>
  )
  return (
    <SubmitForm form={form} buttons={buttons}>
      <Textarea
        label="Domains"
        description="One or more, separated by lines, spaces or commas. No subdomains: example.co.uk, not www.example.co.uk."
        required
        data-autofocus
        autosize
        minRows={4}
        maxRows={12}
        spellCheck={false}
        autoCapitalize="none"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {hasProblems && (
        <Refusals
          problems={refused.problems}
          onLeaveOut={() => {
            setText((now) => withoutNames(now, new Set(refused.problems.map(({ name }) => name))))
            adding.reset()
          }}
        />
      )}
    </SubmitForm>
  )
}

interface RefusalsProps {
  readonly problems: readonly NameProblem[]
  readonly onLeaveOut: () => void
}

function Refusals({ problems, onLeaveOut }: RefusalsProps) {
  return (
    <Alert
      color="red"
      role="alert"
      title={`${counted(problems.length, 'name')} refused, and no domain of this list was added`}
    >
      <List size="sm" spacing={4}>
        {problems.map(({ name, problem }) => (
          <List.Item key={name} style={{ overflowWrap: 'anywhere' }}>
            <b>{name}</b>: {problem}
          </List.Item>
        ))}
      </List>
      <Button size="xs" variant="default" mt="sm" onClick={onLeaveOut}>
        Leave {problems.length === 1 ? 'it' : 'them'} out of the list
      </Button>
    </Alert>
  )
}

import { Anchor, Group, Paper, Progress, SimpleGrid, Text } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { IconCircle, IconCircleCheckFilled, IconX } from '@tabler/icons-react'
import { Link } from 'react-router'
import { IconAction } from '../../parts/icon-action.js'
import { CardTitle, Hint, Note } from '../../parts/text.js'
import type { Overview } from './queries.js'

interface Step {
  readonly title: string
  readonly text: string
  readonly path: string
  readonly isDone: boolean
}

/** What a new account can do first. It disappears when all is done, or when the user hides it. */
export function FirstSteps({ parts }: { readonly parts: Overview['parts'] }) {
  const [isHidden, hide] = useLocalStorage({ key: 'svc.first-steps-hidden', defaultValue: false })
  const steps = stepsOf(parts)
  const done = steps.filter(({ isDone }) => isDone).length
  if (isHidden || done === steps.length) return null
  return (
    <Paper withBorder p="md" component="section" aria-label="First steps">
      <Group justify="space-between" wrap="nowrap" mb="xs">
        <CardTitle>First steps</CardTitle>
        <Group gap="xs" wrap="nowrap">
          <Note>
            {done} of {steps.length} done
          </Note>
          <IconAction icon={IconX} label="Hide the first steps" onClick={() => hide(true)} />
        </Group>
      </Group>
      <Progress value={(done / steps.length) * 100} size="sm" mb="md" aria-hidden />
      <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} component="ol" m={0} p={0} style={{ listStyle: 'none' }}>
        {steps.map((step) => (
          <StepItem key={step.title} {...step} />
        ))}
      </SimpleGrid>
    </Paper>
  )
}

/** Without the steps of areas whose part could not be read. */
function stepsOf({ dns, files, sites, account }: Overview['parts']): readonly Step[] {
  const step = (title: string, text: string, path: string, count: number | undefined): Step[] =>
    count === undefined ? [] : [{ title, text, path, isDone: count > 0 }]
  return [
    ...step('Claim a zone', 'Serve the DNS records of a domain.', '/dns?claim', dns?.zones),
    ...step('Upload a file', 'Share it with a link.', '/files', files?.files),
    ...step('Deploy a site', 'Drop a folder to publish it.', '/sites?new', sites?.sites),
    ...step('Create an API key', 'Let a script do all of this.', '/account/keys?new', account?.keys),
  ]
}

function StepItem({ title, text, path, isDone }: Step) {
  return (
    <li>
      <Group gap="xs" align="flex-start" wrap="nowrap">
        <StepMark isDone={isDone} />
        <div>
          <Anchor component={Link} to={path} size="sm" fw={500}>
            {title}
          </Anchor>
          <Hint>{isDone ? 'Done.' : text}</Hint>
        </div>
      </Group>
    </li>
  )
}

function StepMark({ isDone }: Pick<Step, 'isDone'>) {
  return isDone ? (
    <Text c="teal.7" lh={0} component="span">
      <IconCircleCheckFilled size={20} aria-label="Done" role="img" />
    </Text>
  ) : (
    <Text c="dimmed" lh={0} component="span">
      <IconCircle size={20} aria-label="To do" role="img" />
    </Text>
  )
}

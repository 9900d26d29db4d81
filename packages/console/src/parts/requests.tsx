import { Anchor, Button, Code, Drawer, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconCode } from '@tabler/icons-react'
import { curl, operations, referencePageAnchor, type Operation } from '@svc/contract'
import { serverPath, serverUrl } from './api/base.js'
import { CodeSample } from './code-sample.js'

/** An operation of a page, with the values that the page would send. Without values, the contract's example is shown. */
export interface PageRequest {
  readonly op: Operation
  readonly input?: Readonly<Record<string, unknown>>
}

interface RequestsProps {
  readonly requests: readonly PageRequest[]
  /** Of the button. */
  readonly className?: string | undefined
}

/** Shows the requests behind a page as commands, each with a link to the reference. */
export function Requests({ requests, className }: RequestsProps) {
  const [isOpen, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button
        variant="subtle"
        color="gray"
        px={{ base: 10, sm: 'sm' }}
        className={className}
        onClick={open}
        aria-label="API"
      >
        <IconCode size={16} aria-hidden />
        <Text span inherit ml={6} visibleFrom="sm">
          API
        </Text>
      </Button>
      <Drawer opened={isOpen} onClose={close} position="right" size="lg" title="The requests behind this page">
        <Stack>
          <Text size="sm">
            Programs send the same requests with an API key. Create one under Account, API keys, and set it as the
            environment variable <Code>SVC_TOKEN</Code>.
          </Text>
          {requests.map((request) => (
            <RequestCommand key={request.op.id} {...request} />
          ))}
        </Stack>
      </Drawer>
    </>
  )
}

/** The command of one request, to copy, with its link to the reference. */
export function RequestCommand({ op, input }: PageRequest) {
  return (
    <Stack gap={4}>
      <Title order={3} size="h6">
        {op.summary}
      </Title>
      <CodeSample code={commandOf(op, input)} what="the command" />
      {operations.includes(op) && (
        <Anchor href={`${serverPath}/reference#${referencePageAnchor(op)}`} target="_blank" size="sm">
          {op.method} {op.path} in the reference
        </Anchor>
      )}
    </Stack>
  )
}

/** The command with the values of the page in their places. */
function commandOf(op: Operation, input: PageRequest['input']): string {
  if (input === undefined) return curl(op, serverUrl)
  const of = (part: Operation['body']) => {
    const given = Object.entries(input).filter(([name]) => part && name in part.properties)
    return given.length === 0 ? undefined : Object.fromEntries(given)
  }
  const [params, query, body] = [of(op.params), of(op.query), of(op.body)]
  return curl(
    { ...op, example: { ...(params && { params }), ...(query && { query }), ...(body && { body }) } },
    serverUrl,
  )
}

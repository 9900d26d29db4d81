import { Anchor, Button, Code, Group, Paper, Stack, Tabs, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconEye, IconEyeOff, IconRotate } from '@tabler/icons-react'
import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { missingPassword } from '../../parts/api/session.js'
import { CodeSample } from '../../parts/code-sample.js'
import { Confirm } from '../../parts/confirm.js'
import { CopyIcon } from '../../parts/copy.js'
import { notifyDone, notifyError } from '../../parts/notify.js'
import { CardTitle } from '../../parts/text.js'
import { useSingleMutation } from '../../parts/use-single-mutation.js'
import { deploymentQuery } from './queries.js'
import { verifyNode, verifyPython } from './samples.js'

interface Props {
  readonly id: number
  readonly slug: string
  /** Empty if the password was not entered recently. */
  readonly secret: string
}

/** The secret that signs forwarded requests, hidden until the user asks for it, and how a receiver verifies them. */
export function SigningSecret({ id, slug, secret }: Props) {
  const [isWanted, { open, close }] = useDisclosure(false)
  const isShown = isWanted && secret !== ''
  const show = useSingleMutation({
    mutationFn: async () => {
      if (secret !== '') return
      await missingPassword.ask()
      await queryClient.invalidateQueries(deploymentQuery(String(id)))
    },
    onSuccess: open,
    onError: notifyError,
  })
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <CardTitle>Signing secret</CardTitle>
        <Text size="sm">
          Anyone can send a request to your server. The signature shows that it comes from this webhook. It follows{' '}
          <Anchor href="https://www.standardwebhooks.com" target="_blank" rel="noreferrer" inherit underline="always">
            Standard Webhooks
          </Anchor>
          , whose libraries verify it.
        </Text>
        <Group gap="xs">
          <Code data-secret={isShown || undefined} style={{ overflowWrap: 'anywhere' }}>
            {isShown ? secret : `whsec_${'•'.repeat(16)}`}
          </Code>
          {isShown && <CopyIcon value={secret} what="the signing secret" />}
          <Button
            variant="default"
            size="xs"
            leftSection={isShown ? <IconEyeOff size={16} /> : <IconEye size={16} />}
            onClick={isShown ? close : () => show.mutate()}
          >
            {isShown ? 'Hide the secret' : 'Show the secret'}
          </Button>
          <Rotate id={id} slug={slug} />
        </Group>
        <HowToVerify />
      </Stack>
    </Paper>
  )
}

function Rotate({ id, slug }: Omit<Props, 'secret'>) {
  return (
    <Confirm
      title="Replace the signing secret?"
      action="Replace the secret"
      word={slug}
      run={async () => {
        const { secret } = await client.deployments.rotateSecret({ id })
        const { queryKey } = deploymentQuery(String(id))
        queryClient.setQueryData(queryKey, (detail) => detail && { ...detail, webhook: { secret } })
        notifyDone('The signing secret is replaced.')
      }}
      trigger={(open) => (
        <Button variant="default" size="xs" leftSection={<IconRotate size={16} />} onClick={open}>
          Replace the secret
        </Button>
      )}
    >
      The next attempt is signed with the new secret. Receivers that still have the old one refuse it until you give
      them the new one.
    </Confirm>
  )
}

function HowToVerify() {
  return (
    <Tabs defaultValue={null} allowTabDeactivation keepMounted={false}>
      <Tabs.List>
        <Tabs.Tab value="node">Verify in Node.js</Tabs.Tab>
        <Tabs.Tab value="python">Verify in Python</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="node" pt="sm">
        <CodeSample code={verifyNode} what="the function" />
      </Tabs.Panel>
      <Tabs.Panel value="python" pt="sm">
        <CodeSample code={verifyPython} what="the function" />
      </Tabs.Panel>
    </Tabs>
  )
}

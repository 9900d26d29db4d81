import { Stack, Tabs, Text } from '@mantine/core'
import { updatePath } from '@svc/contract'
import { serverUrl } from '../../parts/api/base.js'
import type { client } from '../../parts/api/client.js'
import { CodeSample } from '../../parts/code-sample.js'
import { SecretOnce } from '../../parts/secret-once.js'
import { ddclientConfig, inadynConfig, updateName } from './update-clients.js'

type CreatedKey = Awaited<ReturnType<typeof client.keys.create>>

/** The URL with which a router updates a host, and the configuration of programs that do; nothing for a key without one. */
export function UpdateSetup({ update_key: key, rules, token }: Pick<CreatedKey, 'update_key' | 'rules' | 'token'>) {
  const name = updateName(rules)
  if (key === null || name === undefined) return null
  const given = { serverUrl, token, name }
  return (
    <Stack gap="xs">
      <SecretOnce value={`${serverUrl}${updatePath(key)}`} what="update URL" />
      <Text size="sm">
        A router that requests this URL sets {name} to its address. Programs use the key itself as the password:
      </Text>
      <Tabs defaultValue="ddclient" keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="ddclient">ddclient</Tabs.Tab>
          <Tabs.Tab value="inadyn">inadyn</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="ddclient" pt="xs">
          <CodeSample code={ddclientConfig(given)} what="the configuration of ddclient" />
        </Tabs.Panel>
        <Tabs.Panel value="inadyn" pt="xs">
          <CodeSample code={inadynConfig(given)} what="the configuration of inadyn" />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  )
}

import { Code, Tabs, Text } from '@mantine/core'
import type { client } from '../../parts/api/client.js'
import { serverUrl } from '../../parts/api/base.js'
import { CodeSample } from '../../parts/code-sample.js'
import { SecretOnce } from '../../parts/secret-once.js'
import { tsigLines } from './tsig-lines.js'

export type CreatedTsig = Awaited<ReturnType<typeof client.keys.createTsig>>

/** The secret of a new key that signs DNS messages, and the lines for the programs that use such keys. */
export function TsigOnce({ tsig, secret }: CreatedTsig) {
  if (tsig === null) return null
  const lines = tsigLines({ ...tsig, secret }, new URL(serverUrl).hostname)
  return (
    <>
      <SecretOnce value={secret} what="secret" />
      <Text size="sm">
        The name of the key is <Code>{tsig.name}</Code>, its algorithm <Code>{tsig.algorithm}</Code>. The server is your
        nameserver.
      </Text>
      <Tabs defaultValue={lines[0]?.program ?? null} keepMounted={false}>
        <Tabs.List>
          {lines.map(({ program }) => (
            <Tabs.Tab key={program} value={program}>
              {program}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {lines.map(({ program, code }) => (
          <Tabs.Panel key={program} value={program} pt="xs">
            <CodeSample code={code} what={`the lines for ${program}`} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  )
}

import { Button, Group, SegmentedControl, Stack, Textarea } from '@mantine/core'
import { areas, hashAlgorithms, hashInputMaxBytes } from '@svc/contract'
import { useState } from 'react'
import { client } from '../../parts/api/client.js'
import { formatCount } from '../../parts/format.js'
import { SubmitForm } from '../../parts/submit-form.js'
import { useSubmit } from '../../parts/use-submit.js'
import { ResultLine, ToolCard } from './tool-card.js'

const example = 'hello'

/** The hashes of a text by every algorithm. */
export function HashTool() {
  const [format, setFormat] = useState<'hex' | 'base64'>('hex')
  const [digests, setDigests] = useState<Awaited<ReturnType<typeof hashAll>>>()
  const form = useSubmit({ initial: { value: '' }, send: hashAll, onDone: setDigests })
  const { value } = form.values
  const bytes = new TextEncoder().encode(value).length
  const buttons = (
    <Group justify="space-between">
      <SegmentedControl
        aria-label="Format of the hashes"
        size="xs"
        value={format}
        onChange={setFormat}
        data={[
          { value: 'hex', label: 'Hexadecimal' },
          { value: 'base64', label: 'Base64' },
        ]}
      />
      <Button type="submit" loading={form.isPending}>
        Hash the text
      </Button>
    </Group>
  )
  return (
    <ToolCard id="hash" title="Hash" requests={[{ op: areas.public.hash, input: { value: value || example } }]}>
      <SubmitForm form={form} buttons={buttons}>
        <Textarea
          {...form.text('value')}
          label="Text"
          description={
            `${formatCount(bytes)} of at most ${formatCount(hashInputMaxBytes)} bytes. The text is part of the address of ` +
            'the request, which proxies may log: do not enter passwords.'
          }
          autosize
          minRows={2}
          maxRows={8}
          spellCheck={false}
          onChange={(event) => {
            form.set({ value: event.currentTarget.value })
            // Digests of an earlier text would be copied by mistake.
            setDigests(undefined)
          }}
        />
      </SubmitForm>
      <Stack gap="xs" aria-live="polite">
        {digests?.map((digest) => (
          <ResultLine key={digest.algo} label={digest.algo} value={digest[format]} />
        ))}
      </Stack>
    </ToolCard>
  )
}

const hashAll = ({ value }: { readonly value: string }) =>
  Promise.all(hashAlgorithms.map((algo) => client.public.hash({ value, algo })))

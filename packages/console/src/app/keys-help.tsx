import { Group, Kbd, Modal, SimpleGrid, Stack, Switch, Table, Text, Title } from '@mantine/core'
import { Fragment } from 'react'
import { areaKeys, pageKeys, type Keys } from './keys.js'
import { paletteKeys } from './palette-keys.js'
import { useIsKeysOn } from './use-keys.js'

interface Props {
  readonly opened: boolean
  readonly onClose: () => void
}

/** Lists the keys. */
export function KeysHelp({ opened, onClose }: Props) {
  const [isOn, setOn] = useIsKeysOn()
  const everywhere: Keys = { keys: [paletteKeys.shown], label: 'Search everything, also in a field' }
  return (
    <Modal opened={opened} onClose={onClose} title="Keyboard shortcuts" size="lg">
      <Stack>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <KeyTable title="On a page" rows={[everywhere, ...Object.values(pageKeys)]} />
          <KeyTable title="Go to" rows={areaKeys} />
        </SimpleGrid>
        <Switch
          label="Single keys"
          description="When off, only Ctrl and Command shortcuts work. Switch them off if you use speech input, or press keys by accident."
          checked={isOn}
          onChange={({ currentTarget: { checked } }) => setOn(checked)}
        />
        <Text size="xs" c="dimmed">
          Single keys work while no field has the focus and no dialog is open.
        </Text>
      </Stack>
    </Modal>
  )
}

function KeyTable({ title, rows }: { readonly title: string; readonly rows: readonly Keys[] }) {
  return (
    <div>
      <Title order={3} size="h6" mb={4}>
        {title}
      </Title>
      <Table aria-label={title} withRowBorders={false} verticalSpacing={4} horizontalSpacing={0}>
        <Table.Tbody>
          {rows.map(({ keys, label }) => (
            <Table.Tr key={label}>
              <Table.Th scope="row" fw={400}>
                {label}
              </Table.Th>
              <Table.Td ta="right">
                <Group gap={4} justify="flex-end" wrap="nowrap">
                  {keys.map((key, index) => (
                    <Fragment key={key}>
                      {index > 0 && (
                        <Text size="xs" c="dimmed">
                          then
                        </Text>
                      )}
                      <Kbd style={{ whiteSpace: 'nowrap' }}>{key}</Kbd>
                    </Fragment>
                  ))}
                </Group>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}

import { Table } from '@mantine/core'
import { fieldName, fieldsOf, fieldText } from './event-words.js'
import type { AccountEvent } from './queries.js'

/** The fields of the thing before and after an event. */
export function EventFields({ event }: { readonly event: AccountEvent }) {
  const { before, after } = event
  const sides = [before && 'Before', after && 'After'].filter((side) => side !== null)
  return (
    <Table aria-label="Fields" fz="xs" verticalSpacing={4} withTableBorder maw={720} layout="fixed">
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">Field</Table.Th>
          {sides.map((side) => (
            <Table.Th key={side} scope="col">
              {side}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody style={{ overflowWrap: 'anywhere' }}>
        {fieldsOf(event).map((change) => (
          <Table.Tr key={change.field}>
            <Table.Th scope="row" fw={500}>
              {fieldName(change.field)}
            </Table.Th>
            {before && <Table.Td>{fieldText(change.field, change.before)}</Table.Td>}
            {after && <Table.Td>{fieldText(change.field, change.after)}</Table.Td>}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

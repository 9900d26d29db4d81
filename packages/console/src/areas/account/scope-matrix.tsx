import { Button, Checkbox, Group, Input, List, Table, Text, UnstyledButton } from '@mantine/core'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { allScopes, type Operation, type Scope, type TokenScope } from '@svc/contract'
import { useState } from 'react'
import { counted } from '../../parts/format.js'
import { Hint } from '../../parts/text.js'
import { keyTemplates, type KeyTemplate } from './key-templates.js'
import { scopeRows, type ScopeRow } from './scopes.js'

interface Props {
  readonly scopes: readonly TokenScope[]
  readonly onChange: (scopes: readonly TokenScope[]) => void
  readonly onTemplate: (template: KeyTemplate) => void
  readonly problem: string | undefined
}

/** Scopes as a matrix of area and access. Write includes read. */
export function ScopeMatrix({ scopes, onChange, onTemplate, problem }: Props) {
  const has = new Set<TokenScope>(scopes)
  const isAll = has.has(allScopes)
  const set = (scope: TokenScope, isOn: boolean) =>
    onChange(isOn ? [...scopes, scope] : scopes.filter((other) => other !== scope))
  return (
    <Input.Wrapper label="Scopes" description="What the key may do. Write includes read." error={problem}>
      <Group gap="xs" mt="sm" role="group" aria-label="Scopes and rules of common programs">
        {keyTemplates.map((template) => (
          <Button key={template.label} size="compact-sm" variant="light" onClick={() => onTemplate(template)}>
            {template.label}
          </Button>
        ))}
      </Group>
      <Checkbox
        my="sm"
        label="Everything, including areas that are added later (*)"
        checked={isAll}
        onChange={(event) => onChange(event.currentTarget.checked ? [allScopes] : [])}
      />
      {!isAll && (
        <Table aria-label="Scopes" verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Area</Table.Th>
              <Table.Th w={64}>Read</Table.Th>
              <Table.Th w={64}>Write</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {scopeRows.map((row) => (
              <AreaRow key={row.area} row={row} has={has} set={set} />
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Input.Wrapper>
  )
}

interface RowProps {
  readonly row: ScopeRow
  readonly has: ReadonlySet<TokenScope>
  readonly set: (scope: Scope, isOn: boolean) => void
}

/** An area with its two checkboxes. What they allow is listed when its name is pressed. */
function AreaRow({ row: { label, read, write, reads, writes }, has, set }: RowProps) {
  const [isOpen, setOpen] = useState(false)
  const isWrite = write !== undefined && has.has(write)
  const Chevron = isOpen ? IconChevronDown : IconChevronRight
  return (
    <>
      <Table.Tr>
        <Table.Td>
          <UnstyledButton onClick={() => setOpen(!isOpen)} aria-expanded={isOpen}>
            <Group gap={4} wrap="nowrap">
              <Chevron size={14} aria-hidden />
              <div>
                <Text size="sm" fw={500}>
                  {label}
                </Text>
                <Hint>
                  {[read, write].filter((scope) => scope !== undefined).join(', ')} ·{' '}
                  {counted(reads.length + writes.length, 'operation')}
                </Hint>
              </div>
            </Group>
          </UnstyledButton>
        </Table.Td>
        <Table.Td>
          {read && (
            <Checkbox
              aria-label={`Read ${label} (${read})`}
              checked={has.has(read) || isWrite}
              disabled={isWrite}
              onChange={(event) => set(read, event.currentTarget.checked)}
            />
          )}
        </Table.Td>
        <Table.Td>
          {write && (
            <Checkbox
              aria-label={`Write ${label} (${write})`}
              checked={isWrite}
              onChange={(event) => set(write, event.currentTarget.checked)}
            />
          )}
        </Table.Td>
      </Table.Tr>
      {isOpen && (
        <Table.Tr>
          <Table.Td colSpan={3}>
            <Allowed title="Read allows" ops={reads} />
            <Allowed title="Write also allows" ops={writes} />
          </Table.Td>
        </Table.Tr>
      )}
    </>
  )
}

function Allowed({ title, ops }: { readonly title: string; readonly ops: readonly Operation[] }) {
  if (ops.length === 0) return null
  return (
    <>
      <Text size="xs" fw={500} mt={4}>
        {title}
      </Text>
      <List size="xs" withPadding>
        {ops.map(({ id, summary }) => (
          <List.Item key={id}>{summary}</List.Item>
        ))}
      </List>
    </>
  )
}

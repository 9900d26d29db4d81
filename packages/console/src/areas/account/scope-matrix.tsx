import { Checkbox, Input, Table, Text } from '@mantine/core'
import { allScopes, operations, requiredScopes, scopes as everyScope } from '@svc/contract'
import type { Scope, TokenScope } from '@svc/contract'

interface Props {
  readonly scopes: readonly TokenScope[]
  readonly onChange: (scopes: readonly TokenScope[]) => void
  readonly problem: string | undefined
}

/** The areas of the scopes, each with its scopes: `dns` with `dns:read` and `dns:write`. */
const rows = Array.from(new Set(everyScope.map((scope) => scope.split(':')[0] ?? '')), (area) => ({
  area,
  read: everyScope.find((scope) => scope === `${area}:read`),
  write: everyScope.find((scope) => scope === `${area}:write`),
}))

/** What a scope allows: the operations that a token with only this scope may call. */
const allowedBy = (scope: Scope): string =>
  operations
    .filter((op) => requiredScopes(op).includes(scope))
    .map(({ summary }) => summary)
    .join(' · ')

/** Scopes as a matrix of area and access. Write includes read. */
export function ScopeMatrix({ scopes, onChange, problem }: Props) {
  const has = new Set<TokenScope>(scopes)
  const isAll = has.has(allScopes)
  const set = (scope: TokenScope, isOn: boolean) =>
    onChange(isOn ? [...scopes, scope] : scopes.filter((other) => other !== scope))
  return (
    <Input.Wrapper label="Scopes" description="What the key may do. Write includes read." error={problem}>
      <Checkbox
        my="sm"
        label="Everything, also in areas that are added later (*)"
        checked={isAll}
        onChange={(event) => onChange(event.currentTarget.checked ? [allScopes] : [])}
      />
      {!isAll && (
        <Table.ScrollContainer minWidth={320}>
          <Table aria-label="Scopes" verticalSpacing={6}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Area</Table.Th>
                <Table.Th w={80}>Read</Table.Th>
                <Table.Th w={80}>Write</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map(({ area, read, write }) => {
                const isWrite = write !== undefined && has.has(write)
                return (
                  <Table.Tr key={area}>
                    <Table.Td>
                      <Text size="sm" fw={500}>
                        {area}
                      </Text>
                      <Text size="xs" c="dimmed" lineClamp={2}>
                        {allowedBy(isWrite ? write : ((read ?? write) as Scope))}
                      </Text>
                    </Table.Td>
                    <Table.Td>
                      {read && (
                        <Checkbox
                          aria-label={read}
                          checked={has.has(read) || isWrite}
                          disabled={isWrite}
                          onChange={(event) => set(read, event.currentTarget.checked)}
                        />
                      )}
                    </Table.Td>
                    <Table.Td>
                      {write && (
                        <Checkbox
                          aria-label={write}
                          checked={isWrite}
                          onChange={(event) => set(write, event.currentTarget.checked)}
                        />
                      )}
                    </Table.Td>
                  </Table.Tr>
                )
              })}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Input.Wrapper>
  )
}

import { Group, MultiSelect, NumberInput, Select, Stack, Text } from '@mantine/core'
import { areas } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { CopyIcon } from '../../parts/copy.js'
import { DataTable, type Column } from '../../parts/data-table.js'
import { formatRelative } from '../../parts/format.js'
import { QueryView } from '../../parts/query-view.js'
import { Hint } from '../../parts/text.js'
import { converted, formatAmount, formatRate } from './amount.js'
import { ratesQuery } from './queries.js'
import { ToolCard } from './tool-card.js'

const usual = ['USD', 'EUR', 'GBP', 'JPY', 'CHF']

const currencyNames = new Intl.DisplayNames(undefined, { type: 'currency' })

/** Exchange rates, and an amount in other currencies. The choice is in the address. */
export function RatesTool() {
  const [parameters, setParameters] = useSearchParams()
  const given = parameters.get('base') ?? ''
  const amount = Number(parameters.get('amount') ?? 1)
  const query = useQuery(ratesQuery(given))
  const set = (name: string, value: string) =>
    setParameters(
      (now) => {
        now.set(name, value)
        return now
      },
      { replace: true, preventScrollReset: true },
    )
  const base = query.data?.base ?? given
  const symbols = parameters.get('symbols')?.split(',').filter(Boolean) ?? usual.filter((code) => code !== base)
  const options = useMemo(() => optionsOf(query.data?.rates ?? {}), [query.data])
  return (
    <ToolCard
      id="rates"
      title="Exchange rates"
      requests={[{ op: areas.public.fx, input: { base, ...(symbols.length > 0 && { symbols: symbols.join(',') }) } }]}
    >
      <QueryView query={query}>
        {({ rates, fetched_at: fetchedAt }) => (
          <Stack>
            <Group align="flex-end" grow preventGrowOverflow={false} wrap="wrap">
              <NumberInput
                label="Amount"
                min={0}
                value={amount}
                onChange={(value) => set('amount', String(value))}
                thousandSeparator=" "
                hideControls
                miw={120}
              />
              <Select
                label="From"
                searchable
                allowDeselect={false}
                data={options}
                value={base}
                onChange={(code) => set('base', code ?? '')}
                miw={220}
              />
            </Group>
            <MultiSelect
              label="To"
              searchable
              clearable
              hidePickedOptions
              data={options}
              value={symbols.filter((code) => code in rates)}
              onChange={(codes) => set('symbols', codes.join(','))}
              clearButtonProps={{ 'aria-label': 'Clear the currencies' }}
            />
            <DataTable
              label="Exchange rates"
              rows={rowsOf(rates, symbols, amount)}
              rowKey={({ code }) => code}
              columns={columns}
              empty={<Text size="sm">Choose a currency under To.</Text>}
            />
            <Hint>Rates of {formatRelative(fetchedAt)}. The server reads new ones every hour.</Hint>
          </Stack>
        )}
      </QueryView>
    </ToolCard>
  )
}

interface Row {
  readonly code: string
  readonly rate: number
  readonly amount: number
}

type Rates = Readonly<Record<string, number>>

const rowsOf = (rates: Rates, symbols: readonly string[], amount: number): readonly Row[] =>
  symbols.flatMap((code) => {
    const rate = rates[code]
    return rate === undefined ? [] : [{ code, rate, amount: converted(amount, rate) }]
  })

/** The code itself if the browser has no name for the currency. */
const currencyName = (code: string): string => currencyNames.of(code) ?? code

const optionsOf = (rates: Rates) =>
  Object.keys(rates)
    .sort()
    .map((code) => ({ value: code, label: currencyName(code) === code ? code : `${code} · ${currencyName(code)}` }))

const columns: readonly Column<Row>[] = [
  {
    key: 'code',
    header: 'Currency',
    sortBy: ({ code }) => code,
    cell: ({ code }) => (
      <>
        <Text size="sm" fw={500}>
          {code}
        </Text>
        <Hint>{currencyName(code)}</Hint>
      </>
    ),
  },
  { key: 'rate', header: 'Rate', align: 'right', wideOnly: true, cell: ({ rate }) => formatRate(rate) },
  {
    key: 'amount',
    header: 'Amount',
    align: 'right',
    sortBy: ({ amount }) => amount,
    cell: ({ code, amount }) => (
      <Group gap={4} justify="flex-end" wrap="nowrap">
        {formatAmount(amount)}
        <CopyIcon value={String(amount)} what={`the amount in ${code}`} />
      </Group>
    ),
  },
]

import { ActionIcon, Button, Fieldset, Group, Input, MultiSelect, NativeSelect, Stack, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { recordTypes, ruleKinds, tokenRulesMax, type RuleAccess, type RuleKind } from '@svc/contract'
import { noRule, type RuleDraft } from './rules.js'

interface Props {
  readonly rules: readonly RuleDraft[]
  readonly onChange: (rules: readonly RuleDraft[]) => void
  readonly problem: string | undefined
}

/** The things that a key may use, one in each row. */
export function RuleFields({ rules, onChange, problem }: Props) {
  return (
    <Input.Wrapper
      label="Rules"
      description="With rules of a kind, the key has only what they name of it; without, everything within its scopes."
      error={problem}
    >
      <Stack gap="xs" mt="xs">
        {rules.map((rule, at) => (
          <RuleRow
            // Rows have no other identity: their names may be equal.
            key={at}
            number={at + 1}
            rule={rule}
            onChange={(changes) => onChange(rules.map((other, i) => (i === at ? { ...other, ...changes } : other)))}
            onRemove={() => onChange(rules.filter((_, i) => i !== at))}
          />
        ))}
        <Button
          variant="default"
          size="compact-sm"
          w="fit-content"
          leftSection={<IconPlus size={14} />}
          disabled={rules.length >= tokenRulesMax}
          onClick={() => onChange([...rules, noRule])}
        >
          Add a rule
        </Button>
      </Stack>
    </Input.Wrapper>
  )
}

/** What the name of each kind is. */
const nameHints: Readonly<Record<RuleKind, string>> = {
  zone: 'example.com',
  site: 'docs',
  package: 'greeter',
  deployment: 'slug, such as launch',
  credential: 'platform, such as registrar.example',
}

interface RowProps {
  readonly number: number
  readonly rule: RuleDraft
  readonly onChange: (changes: Partial<RuleDraft>) => void
  readonly onRemove: () => void
}

function RuleRow({ number, rule, onChange, onRemove }: RowProps) {
  const { kind, name, access } = rule
  return (
    <Fieldset p="xs" aria-label={`Rule ${String(number)}`}>
      <Group gap="xs" align="flex-end" wrap="wrap">
        <NativeSelect
          label="Kind"
          data={[...ruleKinds]}
          value={kind}
          onChange={(event) => onChange({ kind: event.currentTarget.value as RuleKind })}
        />
        <TextInput
          label="Name"
          required
          flex={1}
          miw={160}
          placeholder={nameHints[kind]}
          value={name}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
        />
        <NativeSelect
          label="Access"
          data={[
            { value: 'read', label: 'read' },
            { value: 'write', label: 'read and write' },
          ]}
          value={access}
          onChange={(event) => onChange({ access: event.currentTarget.value as RuleAccess })}
        />
        <ActionIcon
          variant="subtle"
          color="red"
          size="lg"
          aria-label={`Remove rule ${String(number)}`}
          onClick={onRemove}
        >
          <IconTrash size={16} />
        </ActionIcon>
      </Group>
      {kind === 'zone' && <ZoneParts rule={rule} onChange={onChange} />}
    </Fieldset>
  )
}

/** The hosts and types to which a rule of a zone is limited. */
const ZoneParts = ({ rule: { hosts, types }, onChange }: Pick<RowProps, 'rule' | 'onChange'>) => (
  <Group gap="xs" mt="xs" align="flex-start" grow>
    <TextInput
      label="Hosts"
      description="Separated by spaces; empty for all. @ is the zone itself, *.dyn and _acme-challenge.** are patterns."
      value={hosts}
      onChange={(event) => onChange({ hosts: event.currentTarget.value })}
    />
    <MultiSelect
      label="Types"
      description="Of records; empty for all."
      data={[...recordTypes]}
      value={[...types]}
      onChange={(chosen) => onChange({ types: recordTypes.filter((type) => chosen.includes(type)) })}
    />
  </Group>
)

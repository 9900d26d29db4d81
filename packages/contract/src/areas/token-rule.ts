import { Type, type TObjectOptions } from 'typebox'
import {
  recordTypes,
  ruleAccesses,
  ruleKinds,
  tokenRuleHostsMax,
  tokenRulesMax,
  type RecordType,
  type RuleAccess,
  type RuleKind,
} from '../limits.js'
import { byRule } from '../operation.js'
import { closed, nameMaxLength } from '../schema.js'

/** The rules of a token, in the console and in `account.me`. */

/** A rule of a token. */
export interface TokenRule {
  readonly kind: RuleKind
  readonly name: string
  readonly hosts?: readonly string[]
  readonly types?: readonly RecordType[]
  readonly access: RuleAccess
}

const ruleFields = {
  kind: Type.Enum([...ruleKinds], { description: 'What it names' }),
  name: Type.String({
    ...byRule({ minLength: 1, maxLength: nameMaxLength }),
    description:
      'Apex of a zone, name of a site, slug of a package or deployment, platform of a credential; it may not exist yet',
  }),
  hosts: Type.Optional(
    Type.Array(Type.String({ ...byRule({ maxLength: nameMaxLength }) }), {
      minItems: 1,
      maxItems: tokenRuleHostsMax,
      description:
        'Hosts of a zone, all if left out: @ is the zone itself, * as the first label is one label, ** as the last is one or more',
    }),
  ),
  types: Type.Optional(
    Type.Array(Type.Enum([...recordTypes]), {
      minItems: 1,
      maxItems: recordTypes.length,
      description: 'Types of the records of a zone; all if left out',
    }),
  ),
  access: Type.Enum([...ruleAccesses], { description: 'write includes read' }),
}

const description =
  'Narrow the scopes: with rules of a kind, the token has only what they name of that kind; null for a token without rules'

const orNull = (ofRule: TObjectOptions, options: object) =>
  Type.Unsafe<readonly TokenRule[] | null>({
    ...Type.Array(Type.Object(ruleFields, ofRule), { minItems: 1, maxItems: tokenRulesMax }),
    type: ['array', 'null'],
    description,
    ...options,
  })

/** Rules in an answer, or null. */
export const TokenRules = (options: object) => orNull({}, options)

/** Rules in a request, or null. */
export const GivenRules = (options: object) => orNull(closed, options)

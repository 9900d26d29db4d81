/** Codes are in the first lines; the rest of a long text is not read. */
const charactersMax = 1_000

/** The last line of a text for browsers: `@example.com #123456` (W3C, Origin-bound one-time codes delivered via SMS). */
const boundToOrigin = /^@[\w.-]+ #(\S+)/m

/** Words that announce a code, in the languages of its usual senders. */
const announcements =
  /code|\bpin\b|\botp\b|password|passcode|passwor[dt]|verif|\btan\b|token|kennwort|código|codigo|codice|contraseña|kód|kod|код|пароль|κωδικ|验证码|驗證碼|校验码|認証|コード|인증|رمز|mã /giu

/**
 * Groups of digits that are a code: four to eight, in one or two groups, with the prefix of Google or without. Not part of an amount, a
 * date, a time, a telephone number or a longer word. Chinese and Japanese text has no space before a number.
 */
const candidates =
  /(?<![\p{Script=Latin}\p{Script=Cyrillic}\p{N}+$€£¥#*]|[\p{N}][.,:/ -]|[$€£¥] )(?:G-)?(\d{3}[ -]\d{3}|\d{4,8})(?![\p{Script=Latin}\p{Script=Cyrillic}\p{N}%€$£¥]|[.,:/ -]\p{N}| ?(?:EUR|USD|GBP|CHF)\b)/gu

/**
 * The one-time code in the text of a message, without spaces and hyphens: the number that is nearest to a word such as "code".
 * @returns undefined if the text has no such word or no such number
 */
export function oneTimeCode(text: string): string | undefined {
  const start = text.slice(0, charactersMax)
  const bound = boundToOrigin.exec(start)?.[1]
  if (bound !== undefined) return bound
  const words = Array.from(start.matchAll(announcements), ({ index, 0: word }) => ({
    start: index,
    end: index + word.length,
  }))
  const codes = Array.from(start.matchAll(candidates), ({ index, 0: whole, 1: digits = '' }) => ({
    digits: digits.replace(/[ -]/, ''),
    distance: Math.min(...words.map((word) => gap(word, { start: index, end: index + whole.length }))),
  }))
  if (words.length === 0) return undefined
  return codes.reduce<(typeof codes)[number] | undefined>(
    (best, code) => (best === undefined || code.distance < best.distance ? code : best),
    undefined,
  )?.digits
}

interface Span {
  readonly start: number
  readonly end: number
}

/** Characters between two parts of a text. */
const gap = (one: Span, other: Span): number => Math.max(other.start - one.end, one.start - other.end)

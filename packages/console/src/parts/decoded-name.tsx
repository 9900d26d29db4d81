import { Hint } from './text.js'
import { decodedName } from './decode-name.js'

/** The letters of an encoded name, below the name itself; nothing for other names. @param text a name, or a value with names */
export function DecodedName({ text }: { readonly text: string }) {
  const decoded = decodedName(text)
  return decoded === undefined ? null : (
    <Hint>
      <bdi>{decoded}</bdi>
    </Hint>
  )
}

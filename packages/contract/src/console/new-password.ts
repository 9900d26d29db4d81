import { Type } from 'typebox'
import { passwordMaxLength, passwordMinLength } from '../limits.js'
import { byRule, open } from '../operation.js'

/** A new password. @param why of `open` */
export const NewPassword = (why: string) =>
  Type.String(
    open(why, {
      format: 'password',
      ...byRule({ minLength: passwordMinLength, maxLength: passwordMaxLength }),
      description: `${String(passwordMinLength)} to ${String(passwordMaxLength)} characters of any kind`,
    }),
  )

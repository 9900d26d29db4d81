/** Where a key belongs to the control that has the focus: fields, menus and dialogs. A checkbox uses only Space. */
const controls =
  'input:not([type="checkbox"]), textarea, select, [contenteditable]:not([contenteditable="false"]), [role="dialog"], [role="menu"], [role="listbox"]'

/** Whether a key is a part of a shortcut: with Ctrl, Alt or Command. */
export const isShortcut = ({ ctrlKey, altKey, metaKey }: Pick<KeyboardEvent, 'ctrlKey' | 'altKey' | 'metaKey'>) =>
  ctrlKey || altKey || metaKey

/** A dialog that has just been opened does not have the focus yet. */
const isDialogOpen = () =>
  [...document.querySelectorAll('[aria-modal="true"], [role="menu"]')].some((dialog) => dialog.checkVisibility())

/** Whether a key is for the page: neither a part of a shortcut or of a text, nor for a field, a menu or a dialog. */
export function isForPage(event: KeyboardEvent): boolean {
  const { target, defaultPrevented, isComposing } = event
  if (isShortcut(event) || defaultPrevented || isComposing || isDialogOpen()) return false
  return !(target instanceof Element && target.closest(controls) !== null)
}

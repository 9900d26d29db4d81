/** Where a key belongs to the control that has the focus: fields, menus and dialogs. A checkbox uses only Space. */
const controls = 'input:not([type="checkbox"]), textarea, select, [role="dialog"], [role="menu"]'

/** Whether a key without modifiers is for the page, not for a field, a menu or a dialog. */
export function isForPage(event: KeyboardEvent): boolean {
  const { ctrlKey, shiftKey, altKey, metaKey, target, defaultPrevented } = event
  if (ctrlKey || shiftKey || altKey || metaKey || defaultPrevented) return false
  // A dialog that has just been opened does not have the focus yet.
  if (document.querySelector('[aria-modal="true"], [role="menu"]') !== null) return false
  return !(target instanceof Element && target.closest(controls) !== null)
}

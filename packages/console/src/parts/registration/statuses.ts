/** What the status of a registration means, in words: the codes of EPP (RFC 5731, RFC 3915), which RDAP writes with spaces (RFC 8056). */
const meanings: Readonly<Record<string, string>> = {
  active: 'Nothing is blocked or pending.',
  ok: 'Nothing is blocked or pending.',
  inactive: 'The domain has no nameservers.',
  clienttransferprohibited: 'The registrar blocks transfers. The usual protection against theft.',
  servertransferprohibited: 'The registry blocks transfers.',
  clientdeleteprohibited: 'The registrar blocks deletion.',
  serverdeleteprohibited: 'The registry blocks deletion.',
  clientupdateprohibited: 'The registrar blocks changes, also of nameservers.',
  serverupdateprohibited: 'The registry blocks changes, also of nameservers.',
  clientrenewprohibited: 'The registrar blocks renewal.',
  serverrenewprohibited: 'The registry blocks renewal.',
  clienthold: 'The registrar has taken the domain out of DNS: it does not work.',
  serverhold: 'The registry has taken the domain out of DNS: it does not work.',
  addperiod: 'Registered a few days ago.',
  autorenewperiod: 'Renewed automatically; the registrar may still cancel it.',
  renewperiod: 'Renewed a few days ago.',
  transferperiod: 'Transferred a few days ago.',
  redemptionperiod: 'Deleted. The owner can still restore it through the registrar.',
  pendingrestore: 'A restoration is under way.',
  pendingdelete: 'It will be deleted within days, and can then be registered by anyone.',
  pendingtransfer: 'A transfer to another registrar is under way.',
  pendingupdate: 'A change is under way.',
  pendingrenew: 'A renewal is under way.',
  pendingcreate: 'The registration is under way.',
}

/** @param status as in the registry record: `client hold`, `clientHold https://icann.org/epp#clientHold` */
export function statusMeaning(status: string): string | undefined {
  const code = status
    .replace(/https?:.*/i, '')
    .replace(/[^a-z]/gi, '')
    .toLowerCase()
  return Object.hasOwn(meanings, code) ? meanings[code] : undefined
}

/** The status without the link to its description that some WHOIS servers add. */
export const statusName = (status: string): string => status.replace(/\(?https?:.*/i, '').trim() || status

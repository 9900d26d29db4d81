import { ofInstallation, type AreaTables } from './table-declaration.js'

/** The tables of the database itself and of the ports, which have no rows of accounts. */
export const installationTables = {
  tables: {
    exchange_rates: ofInstallation('a cache'),
    installation: ofInstallation('identifies the installation'),
    change_clock: ofInstallation('counts the changes of the installation'),
    job_run: ofInstallation('of the jobs of the installation'),
    master_key: ofInstallation('the key of the installation'),
    master_key_handover: ofInstallation('keys of the installation'),
    registration: ofInstallation('a cache'),
    rdap_bootstrap: ofInstallation('a cache'),
  },
} satisfies AreaTables

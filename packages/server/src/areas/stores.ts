/** Every module that declares units of work: the thread that writes knows them by name. */
import './account/account-store.js'
import './account/session-store.js'
import './account/sign-in-store.js'
import './account/token-store.js'
import './dns/claim-store.js'
import '../ports/rates/rates-store.js'
import './dns/record-store.js'
import './dns/zone-import-store.js'

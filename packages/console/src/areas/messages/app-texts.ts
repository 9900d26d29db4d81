/** Texts that the user copies into an app. docs/sms.md has the same ones; a test compares them. */

/** Makes SmsForwarder send the original text, the time of the receipt, the SIM and the name of the phone. */
export const smsForwarderTemplate = `{
  "from": "[from]",
  "org_content": "[org_content]",
  "receive_time": "[receive_time:yyyy-MM-dd'T'HH:mm:ssXXX]",
  "timestamp": "[timestamp]",
  "card_slot": "[card_slot]",
  "device_mark": "[device_mark]",
  "sign": "[sign]"
}`

/** Registers the address in SMS Gateway for Android, in local mode. */
export const gatewayCommand = (
  address: string,
): string => `curl -X POST -u <username>:<password> http://<phone>:8080/webhooks -H 'Content-Type: application/json' \\
  -d '{"url": "${address}", "event": "sms:received"}'`

export const kannelConfiguration = (address: string): string => `group = smsbox
bearerbox-host = 127.0.0.1
http-request-retry = 10
http-queue-delay = 30

group = sms-service
keyword = default
catch-all = true
post-url = "${address}"
send-sender = true
max-messages = 0`

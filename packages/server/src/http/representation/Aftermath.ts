import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Routes from "../Routes.js"

/**
 * What is known of a request in which the storage failed, and what its caller can do, in one or two sentences. A request
 * that writes may have done so: its commit may have lost only its answer, and a later step of it may have failed. The
 * path of the request is without the base path, with which the paths in the sentences begin.
 */
export const of = (
  { headers, method, url }: Pick<HttpServerRequest.HttpServerRequest, "headers" | "method" | "url">,
  basePath = ""
): string => {
  const [path = ""] = url.replace(/^https?:\/\/[^/?#]*/i, "").split("?")
  const template = Routes.find(path)?.template ?? path
  const named = headers["idempotency-key"] !== undefined
  if (Routes.at(method, template)?.metered === true && (method === "GET" || template === "/api/v1/executions"))
    return once(`GET ${basePath}/api/v1/executions`, named)
  switch (`${method} ${template}`) {
    case "POST /api/v1/watches":
      return once(`GET ${basePath}/api/v1/watches`, named)
    case "POST /api/v1/webhooks":
      return once(`GET ${basePath}/api/v1/webhooks`, named)
    case "POST /api/v1/keys":
      return named
        ? "It is not known whether a key was made, and nobody was shown its secret. Repeat the request: by an invitation it makes, with the same Idempotency-Key, no second key."
        : "It is not known whether a key was made. Nobody was shown its secret, so request another one. By an invitation, that takes another use of it; with an Idempotency-Key the request could be repeated."
    case "POST /api/v1/keys/self/rotate":
      return "It is not known whether the secret was replaced, and nobody was shown the new one. Repeat the request with the same key, as long as that is accepted."
    case "DELETE /api/v1/keys/self":
      return `${unknown} Repeat it: 401 key_revoked means that it was.`
    case "POST /api/v1/webhooks/:webhook_id/rotate-secret":
      return "It is not known whether the secret was replaced, and nobody was shown the new one. Repeat the request."
    case "POST /api/v1/webhooks/:webhook_id/test":
    case "POST /api/v1/webhooks/:webhook_id/deliveries/:delivery_id/retry":
      return lookFirst("the deliveries of the webhook")
    case "POST /api/v1/watches/:watch_id/run":
      return lookFirst("the runs of the watch")
  }
  switch (method) {
    case "GET":
    case "HEAD":
      return "Nothing was changed. Repeat the request."
    case "DELETE":
      return `${unknown} Repeat it: 404 not_found means that it was.`
    case "PATCH":
      return lookFirst("what it changes")
    default:
      return `${unknown} Repeat it: it changes nothing twice.`
  }
}

const unknown = "It is not known whether the request was carried out."

const lookFirst = (what: string): string => `${unknown} Read ${what} before you repeat it.`

const once = (list: string, named: boolean): string =>
  named
    ? `${unknown} Repeat it with the same Idempotency-Key: it is carried out, and charged, once.`
    : `${unknown} Look at ${list} before you repeat it. With an Idempotency-Key it could be repeated at once.`

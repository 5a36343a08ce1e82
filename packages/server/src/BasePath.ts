import { Context, Option } from "effect"

/**
 * The path below which another program serves this API, such as `/risk`; empty where it is served from the root. Routes,
 * logs and metrics do not have it. The edge takes it from the path of each request, and what a caller is sent has it again.
 */
export class BasePath extends Context.Reference<BasePath>()("@assay/server/BasePath", { defaultValue: () => "" }) {}

/** A base path as it is used, without the slash at its end; none where the text is no absolute path. */
export const parse = (text: string): Option.Option<string> =>
  Option.liftPredicate(text.replace(/\/$/, ""), (path) => /^(?:\/[A-Za-z0-9._~!$&'()*+,;=:@-]+)*$/.test(path))

/** What of a request target is below a base path, from its slash on; none where it is not below it. */
export const below = (base: string, target: string): Option.Option<string> => {
  if (!target.startsWith(base)) return Option.none()
  const rest = target.slice(base.length)
  if (base === "" || rest.startsWith("/")) return Option.some(rest)
  return rest === "" || rest.startsWith("?") ? Option.some(`/${rest}`) : Option.none()
}

/** A path of this API as its reader reaches it. Anything else, such as a whole URL, stays as it is. */
export const located = (base: string, path: string): string => (path.startsWith("/") ? `${base}${path}` : path)

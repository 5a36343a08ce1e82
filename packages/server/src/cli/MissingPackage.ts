import * as Option from "effect/Option"

/** Which package is not installed and what to do, in one line; none where a command broke for another reason. */
export const of = (defect: unknown): Option.Option<string> => {
  if (!(defect instanceof Error && "code" in defect && defect.code === "ERR_MODULE_NOT_FOUND")) return Option.none()
  const [, name] = /Cannot find package '([^']+)'/.exec(defect.message) ?? []
  return Option.map(Option.fromNullable(name), (missing) => `${missing} is not installed. Run npm install ${missing}.`)
}

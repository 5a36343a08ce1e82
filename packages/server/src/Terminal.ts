/**
 * What a stream of this process is written to, as far as it decides how to write: everything that is coloured or taken back
 * reads it here. `columns` is how wide a line may be, also after the window has changed.
 */
export interface Terminal {
  readonly isTerminal: boolean
  /** Never in a pipe or a file, with `NO_COLOR` (https://no-color.org) or on a terminal that has none. */
  readonly hasColours: boolean
  /** What takes the line back that was begun and goes to its start; nothing where a line cannot be taken back. */
  readonly erase: string
  readonly columns: () => number
}

/** Of a stream under these settings. */
export const of = (
  stream: { readonly isTTY?: boolean | undefined; readonly columns?: number | undefined },
  settings: { readonly [name: string]: string | undefined }
): Terminal => {
  const isTerminal = stream.isTTY === true
  const isDumb = settings.TERM === "dumb"
  return {
    isTerminal,
    hasColours: isTerminal && !isDumb && (settings.NO_COLOR ?? "") === "",
    erase: isTerminal && !isDumb ? "\r\u001b[2K" : "",
    // A terminal of a program may not say how wide it is: it says 0.
    columns: () => stream.columns || Number(settings.COLUMNS) || 80
  }
}

/** A pipe or a file. */
export const none: Terminal = of({}, {})

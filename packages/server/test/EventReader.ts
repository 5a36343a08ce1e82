/** One event of a stream, as the standard has it parsed. */
export interface Message {
  readonly id: string | undefined
  readonly event: string | undefined
  readonly data: string | undefined
}

/**
 * An open stream of server-sent events. What is no field of a message it counts as a comment.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export class EventReader {
  readonly status: number
  readonly headers: Headers
  /** Comments so far. */
  comments = 0
  readonly #abort: AbortController
  readonly #chunks: ReadableStreamDefaultReader<string>
  #rest = ""

  private constructor(response: Response, abort: AbortController) {
    this.status = response.status
    this.headers = response.headers
    this.#abort = abort
    const body = response.body ?? new ReadableStream<Uint8Array>({ start: (controller) => controller.close() })
    this.#chunks = body.pipeThrough(new TextDecoderStream() as never).getReader() as never
  }

  /** Resolves with the header fields of the answer. */
  static async open(url: string, headers: Record<string, string>): Promise<EventReader> {
    const abort = new AbortController()
    return new EventReader(await fetch(url, { headers, signal: abort.signal }), abort)
  }

  /** The next message, when it comes; undefined where the stream ended instead. */
  async next(): Promise<Message | undefined> {
    for (;;) {
      const end = this.#rest.indexOf("\n\n")
      if (end !== -1) {
        const lines = this.#rest.slice(0, end).split("\n")
        this.#rest = this.#rest.slice(end + 2)
        const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
        const message = { id: field("id"), event: field("event"), data: field("data") }
        if (message.data !== undefined) return message
        this.comments++
        continue
      }
      const { done, value } = await this.#chunks.read()
      if (done) return undefined
      this.#rest += value
    }
  }

  /** Everything up to its end, as text. */
  async text(): Promise<string> {
    let text = this.#rest
    for (;;) {
      const { done, value } = await this.#chunks.read()
      if (done) return text
      text += value
    }
  }

  close(): void {
    this.#abort.abort()
  }
}

/** One JSON-RPC request, without its envelope. */
export interface Request {
  readonly method: string
  readonly params?: ReadonlyArray<unknown> | undefined
}

/** A JSON-RPC endpoint, called with one request or with a whole batch at a time. */
export interface JsonRpc {
  readonly call: (method: string, params?: ReadonlyArray<unknown>) => Promise<unknown>
  /** Answers in the order of the requests; rejects when one of them is answered with an error. */
  readonly batch: (requests: ReadonlyArray<Request>) => Promise<ReadonlyArray<unknown>>
}

interface Answer {
  readonly id: number
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** A JSON-RPC client of the endpoint at `url`. */
export const make = (url: string): JsonRpc => {
  const batch = async (requests: ReadonlyArray<Request>): Promise<ReadonlyArray<unknown>> => {
    if (requests.length === 0) return []
    const body = requests.map(({ method, params }, id) => ({ jsonrpc: "2.0", id, method, params: params ?? [] }))
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    if (!response.ok) throw new Error(`${url} answered HTTP ${response.status}`)
    const answers = (await response.json()) as ReadonlyArray<Answer>
    const byId = new Map(answers.map((answer) => [answer.id, answer]))
    return requests.map(({ method }, id) => {
      const answer = byId.get(id)
      if (answer === undefined) throw new Error(`${method}: no answer`)
      if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message} (${answer.error.code})`)
      return answer.result
    })
  }
  return { batch, call: async (method, params) => (await batch([{ method, params }]))[0] }
}

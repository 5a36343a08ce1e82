import * as Option from "effect/Option"
import * as Host from "../../Host.js"

/**
 * How a reader calls this server, of the Host header of a request: by `https` where it is a name without a port, as behind
 * a proxy, else by `http`. A header that says anything else than a host is not repeated.
 */
export const of = (header: string | undefined): string =>
  Host.parse(header ?? "").pipe(
    // It is pasted into a shell.
    Option.filter(({ name }) => /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])$/.test(name)),
    Option.match({
      onNone: () => "https://this-server.example",
      onSome: ({ name, port }) =>
        Option.match(port, {
          onNone: () => (isNumber.test(name) || name === "localhost" ? `http://${name}` : `https://${name}`),
          onSome: (number) => `http://${name}:${number}`
        })
    })
  )

const isNumber = /^(?:\[.*|[0-9.]+)$/

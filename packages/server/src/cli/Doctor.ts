import type * as CapabilityLosses from "@assay/core/analysis/CapabilityLosses"
import * as EndpointReport from "@assay/core/analysis/EndpointReport"
import type * as Chains from "@assay/core/chain/Chains"
import type * as Diagnosis from "@assay/core/chain/Diagnosis"
import * as EndpointFailure from "@assay/core/chain/EndpointFailure"
import { Effect, Either, Option, Redacted } from "effect"
import * as OutboundProxies from "../OutboundProxies.js"
import * as Endpoints from "./Endpoints.js"
import type * as ExitCode from "./ExitCode.js"
import * as Lines from "./Lines.js"
import { Shell } from "./Shell.js"

/** The arguments of `assay doctor`. */
export interface Request extends Endpoints.Wanted {
  readonly json: boolean
}

/**
 * Examines every endpoint and says which checks they cost. Ends with 0 where all answer and no check is lost, 1 where no
 * endpoint of a chain answers, else 3.
 */
export const run = (request: Request) =>
  Effect.gen(function* () {
    const shell = yield* Shell
    const { chains, config } = yield* Endpoints.findAll(request)
    const settings = Redacted.value(config.endpoints)
    const examined = yield* Effect.forEach(chains, (chain) =>
      Effect.map(EndpointReport.examine(chain, settings), (found): Examined => {
        const endpoints = found.map((each, place): Asked => {
          const url = chain.endpoints[place] ?? ""
          return {
            name: `Endpoint ${place + 1} (${Endpoints.nameOf(url)})`,
            proxy: OutboundProxies.of(config.proxies, url),
            found: each
          }
        })
        return { chain, endpoints, losses: EndpointReport.lossesOf(found) }
      })
    ).pipe(Effect.provide(Endpoints.transport(config)))
    yield* shell.write(
      request.json
        ? `${JSON.stringify({ chains: examined.map(documentOf) })}\n`
        : examined.map((each) => textOf(each)).join("\n")
    )
    return codeOf(examined)
  })

/** `name` is the place of an endpoint and its host: the rest of its URL may hold a secret. */
interface Asked {
  readonly name: string
  readonly proxy: Option.Option<OutboundProxies.OutboundProxy>
  readonly found: EndpointReport.Found
}

interface Examined {
  readonly chain: Chains.Chain
  readonly endpoints: ReadonlyArray<Asked>
  readonly losses: ReadonlyArray<CapabilityLosses.Loss>
}

const codeOf = (examined: ReadonlyArray<Examined>): ExitCode.ExitCode => {
  if (examined.some(({ endpoints }) => endpoints.every(isSilent))) return 1
  const isWhole = ({ endpoints, losses }: Examined) =>
    !endpoints.some(isSilent) && losses.every(({ checks }) => checks.length === 0)
  return examined.every(isWhole) ? 0 : 3
}

const isSilent = ({ found }: Asked): boolean => Either.isLeft(found)

const documentOf = ({ chain, endpoints }: Examined) => {
  const report = EndpointReport.make(
    chain,
    endpoints.map(({ found }) => found)
  )
  return {
    ...report,
    endpoints: report.endpoints.map(({ endpoint, ...said }, place) => ({
      endpoint,
      proxy: Option.getOrNull(
        Option.map(
          Option.flatMap(Option.fromNullable(endpoints[place]), ({ proxy }) => proxy),
          ({ shown }) => shown
        )
      ),
      ...said
    }))
  }
}

const textOf = ({ chain, endpoints, losses }: Examined): string => {
  const lost = losses.filter(({ checks }) => checks.length > 0)
  return [
    `${chain.name} (${chain.id})\n`,
    ...endpoints.flatMap(({ found, name, proxy }) => [
      "\n",
      Either.match(found, {
        onLeft: ({ failure }) => {
          const { advice, what } = EndpointFailure.phrase(failure)
          return Lines.wrap(
            `${name} ${what}${OutboundProxies.through(proxy)}${advice === null ? "" : `; ${advice}`}`,
            "",
            "  "
          )
        },
        onRight: (diagnosis) => endpointText(diagnosis, `${name}${OutboundProxies.through(proxy)}`)
      })
    ]),
    "\n",
    ...(endpoints.every(isSilent)
      ? [
          `No endpoint answers: check the URLs${endpoints.some(({ proxy }) => Option.isSome(proxy)) ? " and the proxy" : ""}.\n`
        ]
      : lost.length === 0
        ? ["No check is lost: these endpoints do all that an analysis uses.\n"]
        : [
            "Checks that can be unknown with these endpoints:\n",
            ...lost.map(({ certain, checks, need }) =>
              Lines.wrap(
                `${labels[need]}${certain ? "" : " (not found out)"}: ${checks.join(", ")}`,
                "- without ",
                "  "
              )
            )
          ])
  ].join("")
}

const endpointText = (found: Diagnosis.Diagnosis, name: string): string =>
  [
    Lines.wrap(
      `${name}: block ${found.head.number}, ${found.headAgeSeconds} s old; ${found.latencyMillis} ms a call`,
      "",
      "  "
    ),
    ...names.map((key) => {
      const answer = Either.match(found.capabilities[key], {
        onLeft: (reason) => `?    ${labels[key]} (${reason})`,
        onRight: (able) => `${able ? "yes" : "no "}  ${labels[key]}`
      })
      return `  ${answer}${key === "batch" && found.batch > 1 ? `, of ${found.batch} calls` : ""}\n`
    }),
    found.logBlocks === 0
      ? "  no   events (eth_getLogs)\n"
      : `  yes  events (eth_getLogs), of ${found.logBlocks >= found.head.number ? "all" : found.logBlocks} blocks in one request\n`,
    Option.match(found.burst, {
      onNone: () => "  pace: as stated in ASSAY_RPC_LIMITS; not put to the test\n",
      onSome: ({ answered, limited, millis, requests }) =>
        `  pace: of ${requests} requests at once ${answered} answered in ${millis} ms, ${limited} refused for their rate\n`
    })
  ].join("")

const names = ["batch", "blockByHash", "codeOverride", "blockOverride", "simulateV1", "archive"] as const

const labels: { readonly [Name in CapabilityLosses.Need]: string } = {
  batch: "several calls in one request",
  blockByHash: "reads by block hash (EIP-1898)",
  codeOverride: "eth_call with other code and balances",
  blockOverride: "eth_call with another block number and time",
  simulateV1: "eth_simulateV1",
  archive: "state of old blocks",
  logs: "events (eth_getLogs)",
  history: "the events of the whole history"
}

import { Analyzer } from "@assay/core/analysis/Analyzer"
import { ChainAccess, type SentRequest } from "@assay/core/chain/ChainAccess"
import { Effect, FiberRef, GlobalValue, Layer } from "effect"
import { measures } from "./Families.js"

/** Measures what each analysis sends: in how many round trips, requests and calls. */
export const layer: Layer.Layer<ChainAccess, never, ChainAccess> = Layer.effect(
  ChainAccess,
  Effect.map(ChainAccess, (access) => ({
    pin: (options) =>
      Effect.tap(access.pin(options), ({ spending }) =>
        Effect.flatMap(FiberRef.get(kindOf), (kind) =>
          Effect.addFinalizer(() =>
            Effect.map(spending, ({ calls, levels, requests }) => {
              const labels = { chain: options.chain.name, kind }
              measures.levels.update(levels, labels)
              measures.analysisRequests.update(requests, labels)
              measures.analysisCalls.update(calls, labels)
            })
          )
        )
      )
  }))
)

/** Says of what an analysis sends, of which kind of target it was. */
export const layerAnalyzer: Layer.Layer<Analyzer, never, Analyzer> = Layer.effect(
  Analyzer,
  Effect.map(Analyzer, (analyzer) => ({
    ...analyzer,
    analyze: (request) => Effect.locally(analyzer.analyze(request), kindOf, request.kind)
  }))
)

const kindOf = GlobalValue.globalValue("@assay/server/telemetry/MeasuredReads/kind", () => FiberRef.unsafeMake("other"))

/** Measures a request to an endpoint: {@link ChainAccess.AccessOptions.onRequest}. */
export const sent = ({ chain, endpoint, faults, methods, tookMillis, waitedMillis }: SentRequest): void => {
  const place = { chain, endpoint: String(endpoint) }
  measures.rpcRequests.update(1, { ...place, outcome: outcomeOf(faults) })
  methods.forEach((method, index) => {
    const fault = faults[index]
    const outcome = fault === undefined ? "aborted" : (fault ?? "ok")
    measures.rpcCalls.update(1, { ...place, method: methodsOfReads.has(method) ? method : "other", outcome })
  })
  measures.rpcSeconds.update(tookMillis / 1_000, place)
  measures.rpcWait.update(waitedMillis / 1_000, place)
}

const outcomeOf = (faults: SentRequest["faults"]): string => {
  const [first] = faults
  if (first === undefined) return "aborted"
  if (faults.every((fault) => fault === null)) return "ok"
  return first !== null && faults.every((fault) => fault === first) ? first : "some_failed"
}

const methodsOfReads: ReadonlySet<string> = new Set([
  "eth_blockNumber",
  "eth_call",
  "eth_chainId",
  "eth_getBalance",
  "eth_getBlockByHash",
  "eth_getBlockByNumber",
  "eth_getCode",
  "eth_getLogs",
  "eth_getStorageAt",
  "eth_getTransactionByHash",
  "eth_getTransactionCount",
  "eth_getTransactionReceipt",
  "eth_simulateV1"
])

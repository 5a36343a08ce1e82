export {
  type Assay,
  type AssayOptions,
  type CallOptions,
  createAssay,
  type Settled,
  type WatchOptions
} from "./Assay.js"
export { AssayError, type ErrorCode } from "./AssayError.js"
export type { ChainOptions, ChainsOption, Endpoint, EndpointOptions } from "./ChainOptions.js"
export type { CustomCheck, CustomVerdict, PinnedChain, Read } from "./CustomCheck.js"
export type * from "./Documents.js"
export type { Eip1193Provider } from "./Eip1193.js"
export type { Logger } from "./Logging.js"
export type { Progress } from "./Progress.js"
export type { SourceOptions } from "./Sources.js"
export { type AssayStorage, memory } from "./Storage.js"
export type { TargetInput } from "./Targets.js"
export type { WatchEvent } from "./Watching.js"

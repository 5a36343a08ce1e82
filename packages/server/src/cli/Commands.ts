import * as Args from "@effect/cli/Args"
import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Options from "@effect/cli/Options"
import * as ValidationError from "@effect/cli/ValidationError"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { Effect, Layer, Option } from "effect"
import * as ExitCode from "./ExitCode.js"
import { Refusal } from "./Refusal.js"
import * as Shell from "./Shell.js"

// A command's own module, with the engine behind it, is loaded only when it runs: help and completions need none of them.

const rpc = Options.repeated(Options.text("rpc")).pipe(
  Options.withDescription("JSON-RPC endpoint; repeat it for more. Without it those of ASSAY_RPC_URLS are read")
)
const chain = Options.optional(Options.text("chain")).pipe(Options.withDescription("Chain id or name"))
const json = Options.boolean("json").pipe(Options.withDescription("The same as --format json"))
const oneDocument = Options.boolean("json").pipe(Options.withDescription("Writes one JSON document"))
const documentLines = Options.boolean("json").pipe(Options.withDescription("Writes JSON, one document a line"))
const kind = Options.optional(Options.choice("kind", ["token", "wallet", "contract"])).pipe(
  Options.withDescription("What the address is; guessed without it")
)
const database = Options.optional(Options.text("database")).pipe(
  Options.withDescription(
    "File of a SQLite database or URL of a Postgres database; without it that of ASSAY_DATABASE, or ./data/assay.db"
  )
)
const failAtChange = Options.choice("fail-at-change", ExitCode.changeLevels).pipe(
  Options.withDefault("high"),
  Options.withDescription("Exit code 2 where a change is as severe; 3 where only sight was lost")
)
const noProgress = Options.boolean("no-progress").pipe(Options.withDescription("Shows no progress line"))

const analyze = Command.make(
  "analyze",
  {
    rpc,
    chain,
    json,
    noProgress,
    kind,
    block: Options.optional(Options.integer("block")).pipe(
      Options.withDescription("Block number; the newest without it")
    ),
    format: Options.choice("format", ["text", "json", "markdown", "html"]).pipe(Options.withDefault("text")),
    full: Options.boolean("full").pipe(Options.withDescription("All evidence, not only the report")),
    output: Options.optional(Options.text("output")).pipe(Options.withDescription("Writes to this file")),
    failAt: Options.choice("fail-at", ExitCode.levels).pipe(
      Options.withDefault("high"),
      Options.withDescription("Exit code 2 from this level on, even at best; 3 where what is unknown decides it")
    ),
    addresses: Args.repeated(Args.text({ name: "address" })).pipe(
      Args.withDescription("Addresses, or - for a list on standard input")
    )
  },
  ({ json, noProgress, ...request }) =>
    ending(
      Effect.flatMap(
        Effect.promise(() => import("./Analyze.js")),
        (command) => command.run({ ...request, format: json ? "json" : request.format, progress: !noProgress })
      )
    )
).pipe(Command.withDescription("Analyses tokens, wallets and contracts"))

const demo = Command.make(
  "demo",
  {
    port: Options.integer("port").pipe(
      Options.withDefault(0),
      Options.withDescription("Port of the chain; a free one without it")
    ),
    json: Options.boolean("json").pipe(Options.withDescription("Writes JSON, one document a line, and ends")),
    noAnalyze: Options.boolean("no-analyze").pipe(Options.withDescription("Lists the targets without their verdicts"))
  },
  ({ json, noAnalyze, port }) =>
    ending(
      Effect.flatMap(
        Effect.promise(() => import("./Demo.js")),
        (command) => command.run({ port, json, analyze: !noAnalyze })
      )
    )
).pipe(Command.withDescription("Starts a local chain with honeypots and harmless twins, and analyses ten of them"))

const doctor = Command.make("doctor", { rpc, chain, json: oneDocument }, (request) =>
  ending(
    Effect.flatMap(
      Effect.promise(() => import("./Doctor.js")),
      (command) => command.run(request)
    )
  )
).pipe(Command.withDescription("Says what each endpoint can do, how fast, and which checks it costs"))

const verify = Command.make(
  "verify",
  {
    rpc,
    json: documentLines,
    file: Args.text({ name: "file" }).pipe(
      Args.withDescription("A full result of assay analyze --json --full or of the server; - for standard input")
    )
  },
  (request) =>
    ending(
      Effect.flatMap(
        Effect.promise(() => import("./Verify.js")),
        (command) => command.run(request)
      )
    )
).pipe(Command.withDescription("Makes the observations of a result again, and says which do not agree"))

const explain = Command.make(
  "explain",
  {
    json: oneDocument,
    in: Options.optional(Options.text("in")).pipe(
      Options.withDescription("The file of a full result that has the item; without it the rule is explained")
    ),
    execution: Options.optional(Options.text("execution")).pipe(
      Options.withDescription("In place of a file: the id of an execution in the database")
    ),
    database,
    id: Args.text({ name: "evidence-id" })
  },
  (request) =>
    ending(
      Effect.flatMap(
        Effect.promise(() => Promise.all([import("./Explain.js"), import("./KeptResult.js")])),
        ([command, kept]) => {
          const named = Option.orElse(request.in, () => request.execution)
          return command.run({ ...request, result: Option.map(named, (name) => kept.find(name, request.database)) })
        }
      )
    )
).pipe(Command.withDescription("Says what a check claims, why an item says so, and how to read it again"))

const diff = Command.make(
  "diff",
  {
    rpc,
    chain,
    kind,
    json: oneDocument,
    blocks: Options.repeated(Options.text("block")).pipe(
      Options.withDescription("With an address: the earlier block, and again the later one")
    ),
    failAt: failAtChange,
    database,
    operands: Args.repeated(Args.text({ name: "result" })).pipe(
      Args.withDescription("Two files of full results or ids of executions in the database, or an address")
    )
  },
  (request) =>
    ending(
      Effect.flatMap(
        Effect.promise(() => import("./Diff.js")),
        (command) => command.run(request)
      )
    )
).pipe(Command.withDescription("Says what changed between two results, or two blocks of an address"))

const watch = Command.make(
  "watch",
  {
    rpc,
    chain,
    kind,
    json: documentLines,
    every: Options.text("every").pipe(
      Options.withDefault("1h"),
      Options.withDescription("Time between two checks, such as 15m, 1h or 1d")
    ),
    once: Options.boolean("once").pipe(Options.withDescription("The same as --count 1, for cron; with --database")),
    count: Options.optional(Options.integer("count")).pipe(Options.withDescription("Ends after so many checks")),
    database: Options.optional(Options.text("database")).pipe(
      Options.withDescription(
        "Database that remembers the last check: a file, made where it is missing, or the URL of a Postgres database"
      )
    ),
    exec: Options.optional(Options.text("exec")).pipe(
      Options.withDescription("Program, and arguments without spaces, to run on a change; no shell. JSON on its input")
    ),
    failAt: failAtChange,
    address: Args.text({ name: "address" })
  },
  ({ once, ...request }) =>
    ending(
      Effect.flatMap(
        Effect.promise(() => import("./Watch.js")),
        (command) => command.run({ ...request, count: once ? Option.some(1) : request.count })
      )
    )
).pipe(Command.withDescription("Checks an address again and again, and writes what changed"))

const ofKeys = () => Effect.promise(() => import("./KeyCommands.js"))
const keyId = Args.text({ name: "key-id" }).pipe(Args.withDescription("The id of a key, as assay keys list shows it"))

const changeKey = (name: string, description: string, state: "active" | "disabled" | "revoked") =>
  Command.make(name, { database, json: oneDocument, id: keyId }, (request) =>
    ending(Effect.flatMap(ofKeys(), (command) => command.change({ ...request, to: { state } })))
  ).pipe(Command.withDescription(description))

const keys = Command.make("keys").pipe(
  Command.withDescription("Creates, lists and changes the API keys of a database"),
  Command.withSubcommands([
    Command.make(
      "create",
      {
        database,
        json: oneDocument,
        quota: Options.optional(Options.integer("quota")).pipe(
          Options.withDescription("Units a UTC day; without it ASSAY_DAILY_QUOTA, or 50")
        ),
        expiresInDays: Options.optional(Options.integer("expires-in-days")),
        label: Args.text({ name: "label" })
      },
      (request) => ending(Effect.flatMap(ofKeys(), (command) => command.create(request)))
    ).pipe(Command.withDescription("Creates a key and shows it, this once")),
    Command.make("list", { database, json: documentLines }, (request) =>
      ending(Effect.flatMap(ofKeys(), (command) => command.list(request)))
    ).pipe(Command.withDescription("Lists the keys, newest first")),
    Command.make(
      "set-quota",
      { database, json: oneDocument, id: keyId, units: Args.integer({ name: "units" }) },
      ({ units, ...request }) =>
        ending(Effect.flatMap(ofKeys(), (command) => command.change({ ...request, to: { dailyQuota: units } })))
    ).pipe(Command.withDescription("Sets the units of a key a UTC day")),
    changeKey("disable", "Refuses a key until it is enabled again", "disabled"),
    changeKey("enable", "Accepts a disabled key again, and resumes its watches", "active"),
    changeKey("revoke", "Ends a key for good", "revoked")
  ])
)

const backup = Command.make(
  "backup",
  {
    database,
    json: oneDocument,
    file: Args.text({ name: "file" }).pipe(Args.withDescription("The new file that gets the copy"))
  },
  (request) =>
    ending(
      Effect.flatMap(
        Effect.promise(() => import("./Backup.js")),
        (command) => command.backup(request)
      )
    )
).pipe(Command.withDescription("Copies a database into a file, also while servers use it"))

const migrate = Command.make(
  "migrate",
  {
    json: oneDocument,
    from: Options.text("from").pipe(Options.withDescription("File of the SQLite database, which no process uses")),
    to: Options.optional(Options.text("to")).pipe(
      Options.withDescription("URL of the Postgres database, empty or begun; without it that of ASSAY_DATABASE")
    )
  },
  (request) =>
    ending(
      Effect.flatMap(
        Effect.promise(() => import("./Migrate.js")),
        (command) => command.migrate(request)
      )
    )
).pipe(
  Command.withDescription(
    "Copies a SQLite database into a Postgres database, goes on where it was stopped, and compares"
  )
)

const restore = Command.make(
  "restore",
  {
    database,
    json: oneDocument,
    file: Args.text({ name: "file" }).pipe(Args.withDescription("What assay backup made"))
  },
  (request) =>
    ending(
      Effect.flatMap(
        Effect.promise(() => import("./Backup.js")),
        (command) => command.restore(request)
      )
    )
).pipe(Command.withDescription("Puts a backup in the place of a database that no process uses"))

const mcp = Command.make(
  "mcp",
  {
    rpc,
    chain,
    url: Options.optional(Options.text("url")).pipe(
      Options.withDescription("A server to ask instead, with the key in ASSAY_API_KEY")
    )
  },
  (request) =>
    ending(
      Effect.flatMap(
        Effect.promise(() => import("./Mcp.js")),
        (command) => command.run(request)
      )
    )
).pipe(Command.withDescription("Serves the Model Context Protocol on standard input and output"))

const serve = Command.make("serve", {}, () =>
  Effect.flatMap(
    Effect.promise(() => import("../Deployment.js")),
    (deployment) =>
      Effect.catchTag(
        Shell.untilInterrupted(deployment.serve()),
        "StartRefused",
        ({ detail }) => new Refusal({ detail })
      )
  )
).pipe(Command.withDescription("Serves the HTTP API; settings come from the environment"))

/**
 * The `assay` command with these arguments, the two of the process first. What goes wrong is one line on standard error
 * and exit code 1.
 *
 * @since 0.1.0
 * @category constructors
 */
export const run = (argv: ReadonlyArray<string>): Effect.Effect<void, never, Shell.Shell> =>
  Effect.gen(function* () {
    const shell = yield* Shell.Shell
    const refuse = (detail: string) => Effect.zipRight(shell.writeError(`assay: ${detail}\n`), shell.end(1))
    // The parser prints an error, and several lines; it is printed here, in one.
    const console = yield* Effect.console
    yield* application(listLast(argv)).pipe(
      Effect.withConsole({ ...console, error: () => Effect.void }),
      Effect.catchAll((error) => refuse(ValidationError.isValidationError(error) ? lineOf(error, argv) : error.detail))
    )
  }).pipe(Effect.provide(Layer.merge(NodeContext.layer, CliConfig.layer({ showBuiltIns: false }))))

const application = Command.run(
  Command.make("assay").pipe(
    Command.withDescription(
      "Evidence about EVM tokens, wallets and contracts: assay analyze reads a chain, assay serve serves the HTTP API"
    ),
    Command.withSubcommands([
      analyze,
      backup,
      demo,
      diff,
      doctor,
      explain,
      keys,
      migrate,
      restore,
      mcp,
      serve,
      verify,
      watch
    ])
  ),
  { name: "assay", version: "0.1.0" }
)

// The parser takes what follows a bare `-` for arguments, options too. After an option with a value it is that value.
const listLast = (argv: ReadonlyArray<string>): ReadonlyArray<string> => {
  const isList = (text: string, index: number) =>
    text === "-" && /^(?!--)|^--(?:json|full|no-progress)$/.test(argv[index - 1] ?? "")
  return [...argv.filter((text, index) => !isList(text, index)), ...argv.filter(isList)]
}

const ending = <E, R>(effect: Effect.Effect<ExitCode.ExitCode, E, R>) =>
  Effect.flatMap(effect, (code) => Effect.flatMap(Shell.Shell, (shell) => shell.end(code)))

const lineOf = ({ _tag, error }: ValidationError.ValidationError, argv: ReadonlyArray<string>): string => {
  const text = HelpDoc.toAnsiText(error)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of a terminal begin with one.
    .replace(/\u001b\[[\d;]*m/g, "")
    .trim()
    .replace(/\s+/g, " ")
  const unknown = _tag === "CommandMismatch" ? `unknown command ${JSON.stringify(argv[2])}: ` : ""
  return `${unknown}${named(text, argv)}; assay --help lists the commands`
}

/** The same with the option that it is about, which the parser leaves out. */
const named = (text: string, argv: ReadonlyArray<string>): string => {
  const [, number] = /^'(.*)' is not a integer$/.exec(text) ?? []
  if (number !== undefined) {
    const option = argv[argv.indexOf(number) - 1] ?? ""
    return option.startsWith("--")
      ? `${option} takes a whole number, not ${JSON.stringify(number)}`
      : `${JSON.stringify(number)} is no whole number`
  }
  const [, cases] = /^Expected one of the following cases: (.*)$/.exec(text) ?? []
  const option = ["--kind", "--format", "--fail-at", "--fail-at-change"].find((name) => {
    const at = argv.indexOf(name)
    return at !== -1 && cases !== undefined && !cases.split(", ").includes(argv[at + 1] ?? "")
  })
  return cases === undefined ? text : `${option ?? "an option"} takes one of ${cases}`
}

import * as Args from "@effect/cli/Args"
import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Options from "@effect/cli/Options"
import * as ValidationError from "@effect/cli/ValidationError"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { Effect, Layer, Option } from "effect"
import * as CommandLine from "./CommandLine.js"
import * as ExitCode from "./ExitCode.js"
import * as Form from "./Form.js"
import * as Help from "./Help.js"
import { Refusal } from "./Refusal.js"
import * as Shell from "./Shell.js"

// A command's own module, with the engine behind it, is loaded only when it runs: help and completions need none of them.

/** An option that takes a value, which help names so. */
const text = (name: string, value: string) => Options.text(name).pipe(Options.withPseudoName(value))
const number = (name: string) => Options.integer(name).pipe(Options.withPseudoName("N"))

const rpc = Options.repeated(text("rpc", "URL")).pipe(
  Options.withDescription("JSON-RPC endpoint, again for another of the same chain; without it those of ASSAY_RPC_URLS")
)
const chain = Options.optional(text("chain", "CHAIN")).pipe(
  Options.withDescription("Chain id or name; without it that of --rpc or of ASSAY_DEFAULT_CHAIN")
)
const json = Options.boolean("json").pipe(Options.withDescription("The same as --format json: one document a line"))
const oneDocument = Options.boolean("json").pipe(Options.withDescription("Writes one JSON document"))
const documentLines = Options.boolean("json").pipe(Options.withDescription("Writes JSON, one document a line"))
const kind = Options.optional(Options.choice("kind", ["token", "wallet", "contract"])).pipe(
  Options.withDescription("What the address is, guessed without it")
)
const database = Options.optional(text("database", "DATABASE")).pipe(
  Options.withDescription(
    "File of a SQLite database or URL of a Postgres database; without it that of ASSAY_DATABASE, or ./data/assay.db"
  )
)
const failAtChange = Options.choice("fail-at-change", ExitCode.changeLevels).pipe(
  Options.withDefault("high"),
  Options.withDescription("Exit code 2 where a change is as severe, high without it; 3 where only sight was lost")
)
const noProgress = Options.boolean("no-progress").pipe(
  Options.withDescription("No progress line, which is on a terminal only")
)

const analyze = Command.make(
  "analyze",
  {
    rpc,
    chain,
    json,
    noProgress,
    kind,
    block: Options.optional(number("block")).pipe(Options.withDescription("The block to read; without it the newest")),
    format: Options.choice("format", ["text", "json", "markdown", "html"]).pipe(
      Options.withDefault("text"),
      Options.withDescription("How the report is written; without it text")
    ),
    full: Options.boolean("full").pipe(
      Options.withDescription(
        "All evidence, not only the report; with JSON the whole analysis, for verify, explain and diff"
      )
    ),
    output: Options.optional(text("output", "FILE")).pipe(
      Options.withDescription("Writes to this file; without it to standard output")
    ),
    open: Options.boolean("open").pipe(
      Options.withDescription("Opens the page of --format html in the browser, in place of writing it")
    ),
    failAt: Options.choice("fail-at", ExitCode.levels).pipe(
      Options.withDefault("high"),
      Options.withDescription(
        "Exit code 2 from this level on even at best, high without it; 3 where what is unknown decides it"
      )
    ),
    blockFrom: Options.optional(Options.choice("block-from", ExitCode.levels)).pipe(
      Options.withDescription("The report's decision is to block from this level on; without it critical")
    ),
    reviewFrom: Options.optional(Options.choice("review-from", ExitCode.levels)).pipe(
      Options.withDescription("The report's decision is to review from this level on; without it medium")
    ),
    addresses: Args.repeated(Args.text({ name: "address" })).pipe(
      Args.withDescription("0x and 40 hex digits, or - for a list on standard input")
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
    port: number("port").pipe(
      Options.withDefault(0),
      Options.withDescription("Port of the chain; without it a free one")
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
    in: Options.optional(text("in", "FILE")).pipe(
      Options.withDescription("The file of a full result that has the item; without it the rule is explained")
    ),
    execution: Options.optional(text("execution", "ID")).pipe(
      Options.withDescription("In place of a file: the id of an execution in the database")
    ),
    database,
    id: Args.text({ name: "id" }).pipe(
      Args.withDescription("The id of a check, such as trade.honeypot, or of an item of the evidence")
    )
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
    html: Options.boolean("html").pipe(
      Options.withDescription("Writes one HTML page: what changed, with both scores and both control diagrams in one")
    ),
    blocks: Options.repeated(text("block", "N")).pipe(
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
    every: text("every", "TIME").pipe(
      Options.withDefault("1h"),
      Options.withDescription("Time between two checks, such as 15m, 1h or 1d; without it 1h")
    ),
    once: Options.boolean("once").pipe(Options.withDescription("The same as --count 1: for cron, with --database")),
    count: Options.optional(number("count")).pipe(
      Options.withDescription("Ends after so many checks; without it at Ctrl-C")
    ),
    database: Options.optional(text("database", "DATABASE")).pipe(
      Options.withDescription(
        "Database that remembers the last check: a file, made where it is missing, or the URL of a Postgres database"
      )
    ),
    exec: Options.optional(text("exec", "CMD")).pipe(
      Options.withDescription(
        "Program to run on a change, with arguments without spaces and no shell; JSON on its input"
      )
    ),
    failAt: failAtChange,
    address: Args.text({ name: "address" }).pipe(Args.withDescription("0x and 40 hex digits"))
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

const keyCommands = [
  Command.make(
    "create",
    {
      database,
      json: oneDocument,
      quota: Options.optional(number("quota")).pipe(
        Options.withDescription("Units a UTC day; without it ASSAY_DAILY_QUOTA, or 50")
      ),
      expiresInDays: Options.optional(number("expires-in-days")).pipe(
        Options.withDescription("Ends the key after so many days; without it the key has no end")
      ),
      label: Args.text({ name: "label" }).pipe(Args.withDescription("What lists call the key"))
    },
    (request) => ending(Effect.flatMap(ofKeys(), (command) => command.create(request)))
  ).pipe(Command.withDescription("Creates a key and shows it, this once")),
  Command.make("list", { database, json: documentLines }, (request) =>
    ending(Effect.flatMap(ofKeys(), (command) => command.list(request)))
  ).pipe(Command.withDescription("Lists the keys, newest first")),
  Command.make(
    "set-quota",
    {
      database,
      json: oneDocument,
      id: keyId,
      units: Args.integer({ name: "units" }).pipe(Args.withDescription("Units a UTC day"))
    },
    ({ units, ...request }) =>
      ending(
        Effect.flatMap(ofKeys(), (command) =>
          command.change({ ...request, to: { dailyQuota: units, plan: Option.none() } })
        )
      )
  ).pipe(Command.withDescription("Sets the units of a key a UTC day, in place of a plan")),
  Command.make(
    "plan",
    {
      database,
      json: oneDocument,
      id: keyId,
      name: Args.text({ name: "plan" }).pipe(Args.withDescription("A plan of ASSAY_PLANS, or none"))
    },
    (request) => ending(Effect.flatMap(ofKeys(), (command) => command.plan(request)))
  ).pipe(Command.withDescription("Gives a key a plan, which decides its units a UTC day")),
  Command.make(
    "invite",
    {
      database,
      json: oneDocument,
      plan: Options.optional(text("plan", "PLAN")).pipe(
        Options.withDescription("The plan of ASSAY_PLANS that its keys get; without it none")
      ),
      uses: number("uses").pipe(
        Options.withDefault(1),
        Options.withDescription("How many keys it makes; without it 1")
      ),
      days: number("ends-in-days").pipe(
        Options.withDefault(7),
        Options.withDescription("Ends it after so many days, 90 at most; without it 7")
      ),
      label: Args.text({ name: "label" }).pipe(Args.withDescription("What lists call the invitation"))
    },
    (request) => ending(Effect.flatMap(ofKeys(), (command) => command.invite(request)))
  ).pipe(Command.withDescription("Makes an invitation to make a key, and shows it, this once")),
  Command.make("invitations", { database, json: documentLines }, (request) =>
    ending(Effect.flatMap(ofKeys(), (command) => command.invitations(request)))
  ).pipe(Command.withDescription("Lists the invitations, newest first")),
  Command.make(
    "end-invitation",
    {
      database,
      json: oneDocument,
      id: Args.text({ name: "invitation-id" }).pipe(
        Args.withDescription("The id of an invitation, as assay keys invitations shows it")
      )
    },
    (request) => ending(Effect.flatMap(ofKeys(), (command) => command.endInvitation(request)))
  ).pipe(Command.withDescription("Ends an invitation now; the keys that it made stay")),
  changeKey("disable", "Refuses a key until it is enabled again", "disabled"),
  changeKey("enable", "Accepts a disabled key again, and resumes its watches", "active"),
  changeKey("revoke", "Ends a key for good", "revoked")
] as const

const keys = Command.make("keys").pipe(
  Command.withDescription("Creates, lists and changes the API keys of a database"),
  Command.withSubcommands(keyCommands)
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
    from: text("from", "FILE").pipe(Options.withDescription("File of the SQLite database, which no process uses")),
    to: Options.optional(text("to", "URL")).pipe(
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
    url: Options.optional(text("url", "URL")).pipe(
      Options.withDescription("A server that analyses instead, with the key in ASSAY_API_KEY")
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
).pipe(Command.withDescription("Serves the HTTP API until Ctrl-C; its settings are in the environment"))

/**
 * The `assay` command with these arguments, the two of the process first. What goes wrong is one line on standard error
 * and exit code 1.
 */
export const run = (argv: ReadonlyArray<string>): Effect.Effect<void, never, Shell.Shell> =>
  Effect.gen(function* () {
    const shell = yield* Shell.Shell
    const refuse = (detail: string) => Effect.zipRight(shell.writeError(`assay: ${detail}\n`), shell.end(1))
    // The parser prints an error, and several lines; it is printed here, in one.
    const console = yield* Effect.console
    const show = (text: string) => ending(Effect.as(shell.write(text), 0 as const))
    yield* Effect.flatMap(CommandLine.read(argv.slice(2), form), (line) => {
      switch (line._tag) {
        case "Help":
          return Effect.flatMap(settingsOf(line.form), (settings) =>
            show(Help.text(line.form, shell.terminal.output, settings))
          )
        case "Version":
          return show(`${version}\n`)
        case "Completions":
          return Effect.flatMap(completions[line.shell](root, "assay"), (lines) => show(`${lines.join("\n")}\n`))
        case "Run":
          return Effect.withConsole(application([...argv.slice(0, 2), ...line.args]), {
            ...console,
            error: () => Effect.void
          })
      }
    }).pipe(
      Effect.catchAll((error) => refuse(ValidationError.isValidationError(error) ? lineOf(error, argv) : error.detail))
    )
  }).pipe(Effect.provide(Layer.merge(NodeContext.layer, CliConfig.layer({ showBuiltIns: false }))))

// The table of settings knows all sources, so other commands do not load it.
const settingsOf = ({ path }: Form.Form) =>
  path.join(" ") === "assay serve"
    ? Effect.map(
        Effect.promise(() => import("../Settings.js")),
        (table) => table.sentences()
      )
    : Effect.succeed([])

const version = "0.1.0"

const commands = [
  analyze,
  backup,
  demo,
  diff,
  doctor,
  explain,
  keys,
  mcp,
  migrate,
  restore,
  serve,
  verify,
  watch
] as const

const root = Command.make("assay").pipe(
  Command.withDescription("Evidence about EVM tokens, wallets and contracts, each item of which can be checked"),
  Command.withSubcommands(commands)
)

const form = Form.of(
  root,
  [],
  commands.map((command) =>
    Form.of(command, ["assay"], command === keys ? keyCommands.map((each) => Form.of(each, ["assay", "keys"], [])) : [])
  )
)

const application = Command.run(root, { name: "assay", version })

const completions = {
  bash: Command.getBashCompletions,
  fish: Command.getFishCompletions,
  zsh: Command.getZshCompletions
} as const

const ending = <E, R>(effect: Effect.Effect<ExitCode.ExitCode, E, R>) =>
  Shell.whileRead(Effect.flatMap(effect, (code) => Effect.flatMap(Shell.Shell, (shell) => shell.end(code))))

// What the form of a command does not say: that a value is a number.
const lineOf = ({ error }: ValidationError.ValidationError, argv: ReadonlyArray<string>): string => {
  const text = HelpDoc.toAnsiText(error)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of a terminal begin with one.
    .replace(/\u001b\[[\d;]*m/g, "")
    .trim()
    .replace(/\s+/g, " ")
  const [, number] = /^'(.*)' is not a integer$/.exec(text) ?? []
  if (number === undefined) return `${text}; assay help lists the commands`
  const inline = argv.find((word) => word.startsWith("--") && word.endsWith(`=${number}`))
  const option = inline?.slice(0, inline.indexOf("=")) ?? argv[argv.indexOf(number) - 1] ?? ""
  return option.startsWith("--")
    ? `${option} takes a whole number, not ${JSON.stringify(number)}`
    : `${JSON.stringify(number)} is no whole number`
}

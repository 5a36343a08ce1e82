/*
 * Benchmarks: `npm run bench` runs all of them, `npm run bench -- <name> [options]` one. They run on the built packages,
 * print what was measured on this machine in this run; only fleet asserts something.
 *
 * analysis   What one analysis costs, for targets of each kind on the sandbox chain, over an endpoint that adds 50 ms to
 *            each request. The delay is added in a process of its own (latency-proxy.mjs), whose CPU is not ours.
 *            Options: --runs 15, --delay 50, --target <name> (several times), --trace (every request of one warm run),
 *            --parts (only where the time goes, without the delay; of plain and of the target that takes most, if none is
 *            named).
 *
 *   state            warm: endpoint probed and head known (it is kept while this runs; the chain does not move), state
 *                    fresh, so nothing that was read before is used again. cold: endpoint unknown too, in a process
 *                    that has analysed before. first: cold, the first analysis of this process.
 *   HTTP requests    that reached the endpoint, counted there.
 *   JSON-RPC calls   in those requests, counted there.
 *   of these         the same by method, of the last run.
 *   Alchemy, Infura  what the calls cost by the public price lists of prices.mjs.
 *   levels           dependent round trips as the engine counts them (`ChainState.spending`): the longest chain of
 *                    requests of which one waited for the answer of another. Probes and the head are not in it.
 *   levels seen      the same from outside: the longest chain of requests at the endpoint of which each began when the
 *                    one before had been answered. Probes and the head are in it.
 *   wall             from the request for an analysis to its document, in ms.
 *   CPU              user and system time of this process in the same span, in ms: compiler and collector included.
 *   simulation       the time that the node itself spent on simulated trades (`eth_simulateV1`, and `eth_call` with
 *                    pretended code or as a constructor that trades), in ms: the longest of each level seen, summed.
 *                    Cold runs hold the probe's own try of each.
 *   node             the same for all requests, simulations or not: what is missing from the budget besides the delay.
 *   budget           1.25 × levels × delay + CPU + simulation, in ms. Cold runs take levels seen.
 *   wall / budget    each run's own; at most 1 is the goal.
 *   core wait        how long our main thread was ready and had no core, in ms: noise of this machine (Linux only).
 *   ratio less wait  (wall - core wait) / budget: an estimate of wall / budget on a machine that nobody else uses.
 *
 * Figures are medians with (lowest..highest). Connections are local, so the handshakes of a far endpoint are not in it.
 *
 *   parts, own ms    how long the thread was at work for a check, a function of a fact or a rule that reads code, but not for
 *                    another part that it calls: the mean of the runs, each the first one of its engine, so that codes are
 *                    read. What several parts share is time of the first one. Garbage collection is in it.
 *   calls            how often an analysis calls the part; most calls of facts are answered by the first one.
 *   share            of the own time of all parts. chain, read: sending reads, and what comes back. facts, built: making
 *                    the facts before any of them is read. engine, else: the rest.
 *
 * capabilities FILE   What the runtime code of tokens says about the powers over their holders, against labels given by
 *            hand, and what reading it costs. FILE holds one contract a line, `{address, labels, code}`; labels are
 *            `{groundtruth: {mint, limit, leak}, sample: {the same}, backdoor: {generate, destroy, arbitrary, freeze,
 *            disable}}`, each true, false or not there. Options: --json. Runs by name only.
 *
 *   claims           one line a contract: confirmed, refuted or unknown, by the code alone. No variable is taken to hold
 *                    anything, so whoever a function asks for counts as alive.
 *   found            confirmed. Unknown counts as not found, for labels of both kinds.
 *   limit, leak      confirmed where any of their claims is: pausable, blacklistable, whitelist-only, limits-changeable;
 *                    balances-seizable, allowance-bypass. A backdoor is found by any claim of the group it belongs to.
 *   CPU              of all threads of this process, from the code to its claims, in ms.
 *   blocked          the longest time that the main thread did not get round to anything else, in ms, and the longest of
 *                    those times less what it waited for a core in them (Linux only; without it the same).
 *
 * claims     What Postgres gives: how many watches are claimed and their runs ended a second, beside pg-boss and
 *            graphile-worker, which fetch and complete jobs with the same text on the same Postgres (the one that is
 *            installed, with its durability, or $ASSAY_TEST_POSTGRES_URL). Units reserved a second beside one conditional
 *            statement by the driver. And what a claim costs by how many watches are kept. It takes about three minutes.
 *            Options: --seconds 3, --rounds 3, --workers 4, --batch 16, --connections 10, --jobs 60000, --sizes
 *            1000,100000,1000000, --directory <tmp>. Runs by name only.
 *
 *   N a claim        each worker claims so many, and then all of them end at once; graphile-worker has a pool of that size
 *                    for each, which fetches as many and tells of ends together.
 *   × the faster     the rate by the better of the two queues in the same round: the median.
 *   claim, batch     µs for one, and for each of sixteen claimed together, of 500 that are due with every size; finish: the
 *                    end of one run. Medians, with (median / median of the first size), sizes measured in turns.
 *
 * corpus FILE[.gz]   How much of many real codes is read, and at what cost. FILE holds one contract a line,
 *            `{address, code}`. Options: --part 1/4 (every fourth code), --write CLAIMS (what was found of each code, to
 *            compare two commits). Runs by name only.
 *
 *   throws           codes whose reading ended with a defect, with its message and up to three addresses.
 *   decided          the share of the codes that were read of which the claim is confirmed or refuted by the code alone.
 *   transfers        how many codes are proven to have free transfers, are gated, or inconclusive, and why.
 *   reasons          how many codes have a claim left unknown for a reason, by power; a claim may have several reasons.
 *   CPU              of all threads of this process, from the code to its claims, in ms.
 *
 * diff       What comparing two analyses costs, beside jsondiffpatch (which matches members of lists by id) and microdiff
 *            (by position) on the same two documents. Options: --rounds 30, --times 50, --items 200.
 *
 *   between          all that differs, with severities, titles and links, and nothing else.
 *   compare          what an execution pays: with its memory, thresholds, two scores, and the report with its text.
 *   found            changes for us, changed items for jsondiffpatch, changed members for microdiff.
 *   ×                how many times the other's time in the same round; below 1 is faster.
 *
 * embed      What the ten lines of @assay/sdk cost an application, beside viem, ethers and whatsabi, which it installs into a
 *            folder of its own. Options: --rounds 9, --against <folder> (another workspace of this repository, built).
 *            Runs by name only.
 *
 *   imported         what a page has loaded when it may call createAssay. one analysis: and when it has analysed a token
 *                    of Ethereum by it. of its parts: bytes of packages, and of the folders of core, in those files.
 *   import           of the modules in Node.js, of a process that has started and imported nothing before.
 *   first verdict    from before the import to the report on a token of the sandbox chain.
 *   wall, CPU        until it is there, and user and system time of all threads of the process until then. × of each round.
 *
 * endpoints  How analyses fare at endpoints with limits: a proxy of its own process (limiting-proxy.mjs) stands before the
 *            node, adds 50 ms to each request and refuses what is too much. Each analysis is the first one of its engine.
 *            Options: --delay 50, --target <name> and --profile <name> (several times), --crowd 10. Runs by name only.
 *
 *   as direct        whether ids, states, values and reasons of the evidence and the score are those of the direct endpoint.
 *   calls, requests  that reached the endpoint, refused ones too. refused: requests that it answered no call of, for their
 *                    rate or their size.
 *   bound            the larger of 8 s and 1.3 × the calls of the direct analysis / the rate; for analyses that start at
 *                    once 1.3 × the sum of their direct calls / the rate. MISSED where it took longer, or an analysis is
 *                    not complete and as direct.
 *
 * fleet      Whether several servers on one Postgres keep what they promise while they are killed: everything is as in
 *            production but the analyser, which waits and answers what was recorded on a sandbox chain. One process after
 *            the other is ended with SIGKILL, in the middle of a check, and started again. Ends with 1 where a promise is
 *            broken, which is computed from the database, the logs of the processes, and what a reader of each key was given
 *            over HTTP. It takes as long as it says, and a few minutes more to make the watches and for what was lost last.
 *            Options: --minutes 5, --watches 10000, --keys 200, --processes 4, --kill-every 20 (seconds), --analysis 8
 *            (seconds each), --spread 60 (minutes in which all watches come due once), --directory <tmp>; --results FILE
 *            (recorded before), --engine (nothing is recorded: the engine is asked, of as many targets of a sandbox chain),
 *            --read-after (the readers begin when the checks were measured), --ledger FILE (what was judged, as JSON),
 *            --hasten (for short runs: the leases of a dead process end at once).
 *            `$ASSAY_TEST_POSTGRES_URL` as for tests. Runs by name only.
 *
 *   lost             checks that ended with their process, which others made again.
 *   due to claim     how late checks began; lost to next claim: from the end of the process of a lost check to the next claim of
 *                    its watch.
 *   starts           processes in the place of killed ones, until each listened.
 *   CPU a check      of all processes, with their starts, and with the requests of readers unless these begin later
 *                    (--read-after); and of Postgres (Linux, where it was started here).
 *   rows, commits    as Postgres counts them (pg_stat_database), all that was done meanwhile by the checks of that time.
 *   bytes a check    what the database grew by, and its write-ahead log. It is the second check of each watch, whose document
 *                    is the base of later ones and stored whole: what these cost is in `storage`.
 *
 * http       How fast stored documents are served on one machine, beside Fastify, Hono and plain node:http, which look up the
 *            key and the row with better-sqlite3, know no limits and write no log. Requests in random order; an execution
 *            is one of many of a hundred keys. It stops where a server answers other bytes than ours. Options: --seconds 1.5,
 *            --rounds 3, --connections 16, --executions 1000, --keys 100, --route <execution, watch, usage, watches>,
 *            --form <plain, gzip, cold> and --peer <fastify, hono, node> (several times), --profile <directory> (CPU
 *            profiles of ours). Runs by name only.
 *
 *   of ours          how many times the other's rate ours is, of each round: median (lowest..highest). Above 1 is faster.
 *   cold             from a process that has just started; the others run warm.
 *   CPU              user and system time of the server, in µs a request.
 *
 * loop       How long the event loop of the built server is blocked while it serves stored executions at a fixed rate, alone
 *            and beside analyses of the sandbox chain that run at once. Options: --seconds 10, --rate 1000, --analyses 4,
 *            --target <name> (several times). Runs by name only.
 *
 *   p50 to max       how much later than each millisecond the loop came round, in ms (perf_hooks).
 *   own              how long the main thread was on a core between two rounds at most, in ms: what it waited for a core or
 *                    the disk is not in it (Linux only, elsewhere it is).
 *   analyses         that ended in that time.
 *
 * reading    What it costs to read hostile code of the largest size, beside a plain token. Options: --rounds 9.
 *
 *   CPU              user and system time of this process, in ms, and × how many times that of the plain token, read just
 *                    before it.
 *
 * quiet      What the analysis of a check costs where nothing happened since the last one, beside a full one at the same block,
 *            in turns in one process, for each a new block. Options: --runs 30, --target <name> (several times). Runs by name
 *            only.
 *
 *   CPU in full      user and system time of this process for a full analysis, in ms, the median.
 *   CPU quiet        the same of one that was taken over from the last one, of those runs alone.
 *   quiet            how many runs were taken over. equal: how many documents were those of the full analysis, to the byte.
 *
 * repeated   What a second analysis of the same codes costs beside the first one of an engine, whose code is compiled: what
 *            was read of a code is kept by its hash. Options: --rounds 15, --target <name> (several times).
 *
 *   first, second    user and system time of this process, in ms. ×: the second by the first, of each round.
 *
 * report     How large reports are on the sandbox chain, for the targets of docs/reports. Options: --target <name> (several
 *            times).
 *
 *   JSON             the compact report, which `view=report` returns. Markdown, text, HTML: the longer forms for people.
 *   MCP result       what a tool answers an agent: the compact report as data, and its text. MCP full: with `detail: "full"`.
 *   light, full      the result as `size` has it.
 *   (tokens)         bytes / 4, an estimate: no tokenizer was asked.
 *
 * size       How large results are on the sandbox chain. Options: --target <name> (several times).
 *
 *   light            the result as it is served: without recipes, observations and simulated trades.
 *   full             with them (`include=recipes`). recipes: the recipes alone, what several share written once.
 *
 * soak       Whether the built server takes ever more memory while it serves stored executions at a fixed rate beside analyses of
 *            the sandbox chain that run at once, each minute anew. Options: --minutes 30, --from 10, --rate 300, --analyses 4,
 *            --target <name> (several times). Runs by name only.
 *
 *   heap, other      what is kept after a collection, and what buffers hold beside it. held: what V8 has taken of the system
 *                    for its heap, before it. RSS: resident memory before it.
 *   p99 to own       as in loop, of that minute.
 *   ×                the most of any minute after --from by the figure of that one.
 *
 * start      What it costs to start the built server, without a sandbox, each time in a process of its own (Linux only).
 *            Options: --runs 5, --rest 10 (seconds).
 *
 *   wall             until the command has ended, or until /api/v1/health/ready says that it is ready.
 *   CPU              user and system time of all threads of that process until then.
 *   at rest          resident memory of the server, that many seconds after it was ready.
 *
 * storage    What a check of a watch costs in SQLite, on a sandbox chain, for targets where nothing moves but the block and
 *            for tokens that are bought before each check. Options: --checks 60, --target <name> and --moving <name>
 *            (several times), --keep (the databases). Runs by name only.
 *
 *   bytes a check    pages of the database that came into use, divided by the checks: execution, run, unit and indexes.
 *   the execution    of these the pages of executions and their documents.
 *   document bytes   of the newest check's document as JSON.
 *   unchanged        checks whose change report says so.
 *   a month          of 100 hourly watches: the mean of the quiet targets × 72,000 checks, not measured.
 *
 * tracing    What traces cost an analysis over a local endpoint, in one process and in turns: CPU where no collector is set
 *            (as in the command, in a browser and in a server by default), where none is sampled, and where all are recorded
 *            and encoded; and the share of the CPU that the spans of an analysis take while nobody records them. Options:
 *            --runs 25, --target plain, --tree (the trace of one analysis by a server, with when each span began and how
 *            long it took, in ms). Runs by name only.
 *
 * watches    How late scheduled checks start: thousands of hourly watches on SQLite, their phases spread, with analyses that
 *            take their time and nothing else. It takes as long as it says. Options: --watches 10000, --keys 200,
 *            --minutes 10, --concurrency 32, --analysis 8 (seconds each), --directory <tmp>. Runs by name only.
 *
 *   started          checks that have begun since the start; p50, p99, max: how long after their grid time, in s.
 *   at once          the most analyses that ran together. heap: what is held after a collection.
 *
 * watches-store   What it costs the SQLite store to claim a watch and to finish its run, by how many watches it keeps, on
 *            files that are made for it: half of the watches are due, a million take about 1 GB. And to append an event.
 *            Options: --sizes 1000,10000,100000,1000000, --keys 200, --runs 400, --directory <tmp>. Runs by name only.
 *
 *   claim            one watch of all that are due, in one transaction. finish: the end of its run. both: one after the
 *                    other. Medians in µs, with (median / median of the first size), sizes measured in turns.
 *   batch            per watch, of sixteen that are claimed in one transaction.
 *   idle             to ask for sixteen when nothing is due.
 *
 * writes     How many metered executions the SQLite store writes a second (begin, reserve, complete and settle, each a
 *            transaction that is on the disk when it answers), with transactions that wait at once committed together and
 *            with a commit for each, beside better-sqlite3 with the same rows. Options: --seconds 3, --rounds 3, --flight 32,
 *            --directory <tmp>.
 *
 *   × one each       how many times the rate with a commit for each, of each round: the median.
 *
 * year       What a year of watches leaves in SQLite and in Postgres once retention has removed its part, and what the work of
 *            a day costs beside it: rows are written by SQL at their size (a patch of 900 bytes a check, a base of 20 kB a
 *            target, one check in 500 with a change), with the day that is past its days by now. Options: --watches 100000,
 *            --factor 100 (how many times fewer are made), --checks 1 (a day and watch; units of a key bound them),
 *            --store <sqlite, postgres> (several times), --directory <tmp>. Runs by name only.
 *
 *   MB, GB           of the database with indexes, and times the factor. rows: of its largest tables.
 *   store calls      of the checks of a day, of at most 1,000 watches, of what is listed meanwhile, and of retention.
 */
import { analysis } from "./analysis.mjs"
import { capabilities } from "./capabilities.mjs"
import { corpus } from "./corpus.mjs"
import { diff } from "./diff.mjs"
import { embed } from "./embed.mjs"
import { endpoints } from "./endpoints.mjs"
import { quiet } from "./quiet.mjs"
import { reading } from "./reading.mjs"
import { repeated } from "./repeated.mjs"
import { report } from "./report.mjs"
import { size } from "./size.mjs"
import { start } from "./start.mjs"
import { storage } from "./storage.mjs"
import { tracing } from "./tracing.mjs"
import { watches } from "./watches.mjs"
import { watchesStore } from "./watches-store.mjs"
import { writes } from "./writes.mjs"

// These alone need what loads other servers.
const http = async (args) => (await import("./http.mjs")).http(args)
const loop = async (args) => (await import("./loop.mjs")).loop(args)
const soak = async (args) => (await import("./soak.mjs")).soak(args)
// And these a Postgres, one of them the queues beside it.
const claims = async (args) => (await import("./claims.mjs")).claims(args)
const year = async (args) => (await import("./year.mjs")).year(args)
const fleet = async (args) => (await import("../testing/fleet/src/fleet.mjs")).fleet(args)

const benchmarks = {
  analysis,
  capabilities,
  claims,
  corpus,
  diff,
  embed,
  endpoints,
  fleet,
  http,
  loop,
  reading,
  quiet,
  repeated,
  report,
  size,
  soak,
  start,
  storage,
  tracing,
  watches,
  "watches-store": watchesStore,
  writes,
  year
}
// Those that measure files which do not come with the repository, or that fill a disk, run by name only.
const standing = [analysis, diff, reading, repeated, report, size, start, writes]

const [first, ...rest] = process.argv.slice(2)
const named = first !== undefined && !first.startsWith("-")
if (named && !Object.hasOwn(benchmarks, first)) {
  console.error(`There is no benchmark ${first}; there is ${Object.keys(benchmarks).join(", ")}.`)
  process.exit(1)
}
if (named) await benchmarks[first](rest)
// Options belong to one benchmark, so without a name there are none.
else for (const benchmark of standing) await benchmark([])

import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SharedSandbox } from "@assay/sandbox"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { assay } from "./TestShell.js"

describe("a subcommand", () => {
  let sandbox: SharedSandbox.SharedSandbox
  const folder = mkdtempSync(join(tmpdir(), "assay-refusals-"))
  beforeAll(async () => {
    sandbox = await SharedSandbox.take()
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it("refuses bad input in one line that says what to do, with exit code 1", async () => {
    const address = "0x0000000000000000000000000000000000000001"
    const misspelt = "0x6b175474E89094C44Da98b954EedeAC495271d0F"
    const gone = "http://127.0.0.1:1/secret"
    const text = join(folder, "text.json")
    writeFileSync(text, "no JSON")
    const light = join(folder, "light.json")
    writeFileSync(light, JSON.stringify({ target: "token", evidence: [] }))
    const of = ["--rpc", sandbox.url]
    const pages = createServer((_, response) => response.writeHead(404).end("<p>no such page</p>")).listen(
      0,
      "127.0.0.1"
    )
    await once(pages, "listening")
    const page = `http://127.0.0.1:${(pages.address() as AddressInfo).port}/secret`
    const blocks = ["--block", "1", "--block", "2"]
    const cases: ReadonlyArray<readonly [args: ReadonlyArray<string>, line: RegExp]> = [
      [["analyse", address], /did you mean assay analyze\?/],
      [["analyze"], /no address; give 0x and 40 hex digits/],
      [["analyze", address], /no endpoint to read; give one with --rpc/],
      [["analyze", "0x12", ...of], /"0x12" is no address/],
      [["analyze", misspelt, ...of], /has a wrong checksum/],
      [["analyze", address, "--rpc", "nowhere"], /endpoint 1 of --rpc is no URL/],
      [
        ["analyze", address, "--rpc", gone],
        /endpoint 1 of --rpc \(http:\/\/127\.0\.0\.1:1\) cannot be reached \(ECONNREFUSED\); check the URL, or/
      ],
      [["analyze", address, ...of, "--rpc", gone], /endpoint 2 of --rpc \(http:\/\/127\.0\.0\.1:1\) cannot be reached/],
      [
        ["analyze", address, "--rpc", page],
        /endpoint 1 of --rpc \(http:.*\) answered HTTP 404; check the path of its URL, or give another with --rpc/
      ],
      [["analyze", address, ...of, "--chain", "nowhere"], /unknown chain; .* serves sandbox \(31337\)/],
      [["analyze", address, ...of, "--chain", "1"], /unknown chain; .* serves sandbox \(31337\)/],
      [["analyze", address, ...of, "--block", "newest"], /--block takes a whole number, not "newest"/],
      [
        ["analyze", address, ...of, "--block", "999999999"],
        /: Endpoint 1 of sandbox does not have block 999999999 yet: its newest one is \d+\n$/
      ],
      [["analyze", address, ...of, "--format", "pdf"], /--format takes one of text, json, markdown, html/],
      [["analyze", address, ...of, "--fail-at", "never"], /--fail-at takes one of low, medium, high, critical/],
      [["analyze", address, ...of, "--kind", "coin"], /--kind takes one of token, wallet, contract/],
      [["analyze", address, ...of, "--wrong"], /there is no option "--wrong"/],
      [["analyze", address, ...of, ...blocks], /--block is there twice/],
      [["keys", "create", "--quota", "ten", "me"], /--quota takes a whole number, not "ten"/],
      [["keys", "set-quota", "key_x", "many"], /"many" is no whole number/],
      [["analyze", address, ...of, "--full", "--format", "html"], /--full goes with/],
      [["analyze", address, ...of, "--open"], /--open goes with --format html/],
      [["analyze", address, ...of, "--output", join(folder, "absent", "x")], /the file of --output cannot be written/],
      [["doctor"], /no endpoint to read; give one with --rpc/],
      [["doctor", "--rpc", "nowhere"], /endpoint 1 of --rpc is no URL/],
      [
        ["doctor", "--rpc", gone],
        /endpoint 1 of --rpc \(http:\/\/127\.0\.0\.1:1\) cannot be reached \(ECONNREFUSED\); check the URL, or/
      ],
      [["doctor", ...of, "--chain", "nowhere"], /unknown chain; .* serves sandbox \(31337\)/],
      [["doctor", "--wrong"], /there is no option "--wrong"; assay help doctor lists them/],
      [["doctor", "extra"], /doctor takes no argument; assay help doctor/],
      [["verify", join(folder, "absent")], /cannot be read; give the file of a full result/],
      [["verify", text, ...of], /is no full result \(it is no JSON\)/],
      [["verify", light, ...of], /is no full result \(.*\); make one with assay analyze --json --full/],
      [["verify"], /verify needs FILE; assay help verify/],
      [["verify", text, text], /verify takes FILE and nothing more/],
      [["migrate"], /migrate needs --from/],
      [["verify", folder, ...of], /cannot be read; give the file of a full result/],
      [["explain", "token.mintable", "--in", join(folder, "absent")], /cannot be read; give the file of a full result/],
      [
        ["explain", "no.such-check"],
        /there is no check "no.such-check"; its id is in the evidence, such as address.kind/
      ],
      [["explain", "honeypot"], /there is no check "honeypot"; did you mean trade.honeypot or opinion.honeypot\?/],
      [["explain", "token.mintabel"], /there is no check "token.mintabel"; did you mean token.mintable\?/],
      [["explain", "token.mintable", "--in", text], /is no full result/],
      [["diff", text, text], /is no full result/],
      [["diff", join(folder, "absent"), text], /cannot be read; give the file of a full result/],
      [["diff"], /give two results/],
      [["diff", text, text, "--html", "--json"], /--html does not go with --json/],
      [["diff", address, ...blocks], /no endpoint to read/],
      [["diff", "0x12", ...blocks, ...of], /"0x12" is no address/],
      [["diff", misspelt, ...blocks, ...of], /has a wrong checksum/],
      [["diff", address, "--block", "1", ...of], /--block twice/],
      [["diff", address, "--block", "1", "--block", "newest", ...of], /--block takes the number of a block/],
      [["watch", "0x12", ...of], /"0x12" is no address/],
      [["watch", address], /no endpoint to read/],
      [
        ["watch", address, "--rpc", gone],
        /endpoint 1 of --rpc \(http:\/\/127\.0\.0\.1:1\) cannot be reached \(ECONNREFUSED\); check the URL, or/
      ],
      [["watch", address, ...of, "--chain", "nowhere"], /unknown chain/],
      [["watch"], /watch needs ADDRESS; assay help watch/],
      [["mcp"], /no endpoint to read; give one with --rpc/],
      [
        ["mcp", "--rpc", gone],
        /endpoint 1 of --rpc \(http:\/\/127\.0\.0\.1:1\) cannot be reached \(ECONNREFUSED\); check the URL, or/
      ],
      [["mcp", ...of, "--chain", "nowhere"], /unknown chain/],
      [["mcp", "--url", "nowhere"], /--url is no URL/],
      [["mcp", "--url", "https://assay.example"], /set ASSAY_API_KEY/],
      [["watch", address, ...of, "--every", "often"], /--every takes a time such as 30s/],
      [["watch", address, ...of, "--count", "0"], /--count takes 1 or more/],
      [["watch", address, ...of, "--database", "memory:"], /memory: keeps nothing/],
      [["keys", "list", "--database", "postgres://u:secret@127.0.0.1:1/d"], /cannot be reached \(ECONNREFUSED\)/],
      [["keys", "list", "--database", "postgres://u:secret@h"], /--database: expected .*postgres:/],
      [["restore", text, "--database", "postgres://u:secret@h/d"], /pg_restore/],
      [["backup", join(folder, "b"), "--database", join(folder, "absent")], /there is no database/],
      [["restore", join(folder, "absent"), "--database", text], /there is no file/]
    ]
    for (const [args, line] of cases) {
      const { code, errors, output } = await assay(args)
      assert.match(errors, line, args.join(" "))
      assert.match(errors, /^assay: [^\n]+\n$/)
      assert.notInclude(errors, "secret")
      assert.strictEqual(output, "", args.join(" "))
      assert.strictEqual(code, 1, args.join(" "))
    }
    pages.close()
  })
})

// Puts the server of this repository into an empty folder, as `npm install @assay/server` would: for an image, as no registry
// has it yet. node scripts/pack-server.mjs FOLDER, with `--from TARBALLS` of what `check-packages.mjs --into TARBALLS` packed.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import * as Packed from "./packed.mjs"

const [place, , from] = process.argv.slice(2)
if (place === undefined) throw new Error("which folder?")
const tarballs = mkdtempSync(join(tmpdir(), "assay-packed-"))
const packed = Packed.published
  .filter((name) => name !== "sdk" && name !== "assay" && name !== "demo")
  .map((name) => [
    `@assay/${name}`,
    from === undefined ? Packed.pack(name, tarballs).tarball : Packed.packedIn(from, name)
  ])
Packed.install(resolve(place), ["@assay/server"], new Map(packed))
rmSync(tarballs, { recursive: true })

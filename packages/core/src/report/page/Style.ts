/** @internal */

import { sha256 } from "#sha256"

/** Colours by what they mean, for light and for dark; every one is legible as text on the ground (WCAG 2.2 AA). */
const light = {
  ground: "#ffffff",
  raised: "#f6f7f9",
  line: "#dfe3e8",
  ink: "#15181d",
  quiet: "#57606c",
  link: "#1f56c3",
  critical: "#9b1752",
  high: "#b5390f",
  medium: "#855500",
  low: "#1d5fa8",
  info: "#57606c",
  good: "#17703d",
  unknown: "#6840c2"
}

const dark: typeof light = {
  ground: "#0f1115",
  raised: "#171a20",
  line: "#2c323b",
  ink: "#e7eaee",
  quiet: "#9ca5b1",
  link: "#8fb4ff",
  critical: "#ff8db6",
  high: "#ff9b72",
  medium: "#f0bf4c",
  low: "#82b8ff",
  info: "#9ca5b1",
  good: "#62d392",
  unknown: "#bda5ff"
}

const variables = (theme: typeof light): string =>
  Object.entries(theme)
    .map(([name, value]) => `--${name}:${value}`)
    .join(";")

const marked = (classes: string, colour: string): string =>
  classes
    .split(" ")
    .map((name) => `.${name}`)
    .join(",")
    .concat(`{--mark:var(--${colour})}`)

const mono = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"

/** The style of every page. */
export const style: string = [
  `:root{color-scheme:light dark;${variables(light)}}`,
  `@media (prefers-color-scheme:dark){:root{${variables(dark)}}}`,
  "*{box-sizing:border-box}",
  "html{-webkit-text-size-adjust:100%}",
  "body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;overflow-wrap:anywhere;font-variant-numeric:tabular-nums}",
  "main{max-width:66rem;margin:0 auto;padding:3rem 2rem 4rem}",
  "h1,h2,p,ul,ol,dl,dd,figure{margin:0;padding:0}ul,ol{list-style:none}",
  `code,.mono{font-family:${mono};font-size:.86em}`,
  `.command{margin:.4rem 0;padding:.5rem .7rem;background:var(--raised);border:1px solid var(--line);border-radius:6px;font:12px/1.5 ${mono};white-space:pre-wrap;overflow-wrap:anywhere}`,
  "a{color:var(--link);text-decoration-thickness:1px;text-underline-offset:2px}a:focus-visible,summary:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:2px}",
  "a.mono,.tree code{white-space:nowrap}.quiet{color:var(--quiet)}.small{font-size:13px;line-height:1.5}",
  marked("critical", "critical"),
  marked("high removed", "high"),
  marked("medium changed", "medium"),
  marked("low", "low"),
  marked("info", "info"),
  marked("minimal good added", "good"),
  marked("unknown", "unknown"),
  ".mark{flex:none;vertical-align:-3px;fill:var(--mark);stroke:var(--mark)}.mark .hollow{fill:none;stroke-width:1.5}.unknown .hollow,.unknown.mark .hollow{stroke-dasharray:2.5 2}.mark .sign{fill:none;stroke:var(--ground);stroke-width:1.7;stroke-linecap:round;stroke-linejoin:round}.mark .hollow+.sign{stroke:var(--mark)}",
  ".badge{display:inline-flex;align-items:center;gap:.4em;color:var(--mark);font-weight:600;white-space:nowrap}",
  // The head.
  ".eyebrow{font-size:13px;color:var(--quiet);display:flex;flex-wrap:wrap;gap:.2rem .8rem}",
  "h1{font-size:1.75rem;line-height:1.25;font-weight:650;letter-spacing:-.015em;margin:.35rem 0 .3rem}",
  ".address{font-size:14px;color:var(--quiet)}",
  // The verdict.
  ".verdict{margin:2rem 0 0;padding:1.5rem 1.75rem 1.6rem;border:1px solid var(--line);border-left:4px solid var(--mark);border-radius:8px}",
  ".level{display:flex;gap:.6rem;color:var(--mark);font-size:1.12rem;line-height:1.4}.level .mark{width:1.25rem;height:1.25rem;margin-top:.15em}",
  ".spans{display:grid;grid-template-columns:auto minmax(0,1fr);gap:0 1rem;align-items:center;margin-top:.6rem}.spans .scale{margin-top:.2rem}.spans dt{color:var(--quiet);font-size:13px}",
  ".headline{font-size:1.08rem;line-height:1.5;margin-top:.7rem;max-width:46rem}",
  ".scale{display:block;width:100%;height:66px;margin-top:1.1rem;overflow:visible}.scale text{font-size:12px;fill:var(--quiet)}.scale .band{fill:var(--mark);opacity:.24}.scale .band.on{opacity:1}.scale .on-text{fill:var(--ink);font-weight:600}.scale .span{fill:none;stroke:var(--ink);stroke-width:1.5}.scale .open{stroke-dasharray:4 3}.scale .value{font-size:14px;font-weight:650;fill:var(--ink)}",
  // Sections: a heading beside its content, above it where there is no room.
  "section{display:grid;grid-template-columns:11rem minmax(0,1fr);gap:0 2rem;padding-top:1.6rem;margin-top:1.6rem;border-top:1px solid var(--line)}",
  "h2{font-size:15px;font-weight:600;line-height:1.45;padding-right:.5rem}",
  ".lines>li:last-child{padding-bottom:0}.lines>li{padding:.6rem 0;display:grid;grid-template-columns:6.5rem minmax(0,1fr);gap:.2rem 1rem;align-items:start}.lines .badge{font-size:14px;line-height:1.65}.lines>li:first-child{padding-top:0}.lines>li+li{border-top:1px solid var(--line)}.lines.plain>li{grid-template-columns:minmax(0,1fr)}.lines.marks>li{grid-template-columns:1.25rem minmax(0,1fr);gap:.25rem .5rem}.marks .mark{margin-top:4px}",
  ".note{color:var(--quiet);font-size:13px}",
  "sup{font-size:.72em;line-height:0;margin-left:.15em;white-space:nowrap}sup a{text-decoration:none;padding:0 .12em}",
  ".meta{display:flex;flex-wrap:wrap;gap:0 1rem;align-items:baseline;font-size:13px;margin-top:.1rem}details[open]{flex-basis:100%}summary{cursor:pointer;color:var(--quiet);width:fit-content;padding:1px 0}summary:hover{color:var(--ink)}",
  ".items{border-left:2px solid var(--line);padding-left:.9rem;margin:.35rem 0 .4rem}.items li{padding:.3rem 0}.items .state{font-weight:600}",
  // Figures.
  "figure{margin-top:1.2rem}figure:first-child{margin-top:0}figure+.lines{margin-top:1.2rem}figcaption{font-size:13px;color:var(--quiet);margin-bottom:.5rem}",
  ".bars{display:grid;grid-template-columns:minmax(0,auto) minmax(3rem,1fr) auto;gap:.4rem .9rem;align-items:center;font-size:13px}.bars dt{color:var(--ink)}.bars dd.number{text-align:right}.bars>div{display:contents}",
  ".bar{display:block;width:100%;height:10px}.bar .track{fill:var(--line)}.bar .fill{fill:var(--mark,var(--quiet))}",
  ".key{display:flex;flex-wrap:wrap;gap:.2rem 1rem;font-size:13px;color:var(--quiet);margin-top:.5rem}",
  ".curve,.diagram{display:block;max-width:100%;height:auto}.curve text{font-size:12px;fill:var(--quiet)}.curve .axis{stroke:var(--line)}.curve .line{fill:none;stroke:var(--ink);stroke-width:2}.curve .even{stroke:var(--quiet);stroke-dasharray:3 4;fill:none}.curve .dot{fill:var(--ground);stroke:var(--ink);stroke-width:2}.curve .number{fill:var(--ink);font-weight:600}",
  // The score of a watch over time, by percent of the width.
  ".timeline{display:block;width:100%;height:226px;overflow:visible}.timeline text{font-size:12px;fill:var(--quiet)}.timeline .band{fill:var(--mark);opacity:.1}.timeline .line{stroke:var(--ink);stroke-width:2}.timeline .dot{fill:var(--ground);stroke:var(--ink);stroke-width:2}.timeline .span{stroke:var(--quiet);stroke-width:3;opacity:.6}.timeline .span.open{stroke:var(--unknown);stroke-dasharray:3 2;opacity:1}.timeline .moved{overflow:visible}.timeline .miss{stroke:var(--unknown);stroke-width:2;fill:none}.timeline .drop{stroke:var(--mark);stroke-dasharray:1 3}.timeline .number{fill:var(--ink);font-weight:600}",
  ".ends{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 1rem;padding:0 5% 0 20%;font-size:12px;color:var(--quiet)}",
  "table{border-collapse:collapse;width:100%;font-size:13px;overflow-wrap:break-word}.when{white-space:nowrap}td:last-child{overflow-wrap:anywhere}th{text-align:left;font-weight:600;color:var(--quiet)}th,td{padding:.3rem .8rem .3rem 0;vertical-align:top;border-bottom:1px solid var(--line)}td .badge{font-size:13px}",
  // The diagram of who controls the target.
  ".diagram .box{fill:var(--ground);stroke:var(--quiet);stroke-width:1.2}.diagram .target .box{fill:var(--ink);stroke:var(--ink)}.diagram .target text{fill:var(--ground)}.diagram .code .box{fill:var(--raised)}.diagram .unknown .box{stroke:var(--unknown);stroke-dasharray:4 3}.diagram .dead .box{stroke:var(--line)}",
  `.diagram text{font-size:12px;fill:var(--ink)}.diagram .title{font-size:13px;font-weight:600}.diagram .mono{font-family:${mono};font-size:11.5px}.diagram .glyph{fill:none;stroke:var(--ink);stroke-width:1.4;stroke-linecap:round;stroke-linejoin:round}.diagram .target .glyph{stroke:var(--ground)}.diagram .unknown .glyph{stroke:var(--unknown)}`,
  ".diagram .edge{fill:none;stroke:var(--quiet);stroke-width:1.3}.diagram .head{fill:var(--quiet);stroke:none}.diagram .doubtful .edge{stroke:var(--unknown);stroke-dasharray:4 3}.diagram .doubtful .head{fill:var(--unknown)}.diagram .doubtful text{fill:var(--unknown)}.diagram .runs .edge{stroke-dasharray:1 3;stroke-linecap:round}.diagram .under{fill:var(--ground)}",
  ".diagram .added .box,.diagram .removed .box,.diagram .changed .box{stroke:var(--mark);stroke-width:2}.diagram .removed .box{stroke-dasharray:6 4}.diagram .added .edge,.diagram .removed .edge,.diagram .changed .edge{stroke:var(--mark);stroke-width:2}.diagram .removed .edge{stroke-dasharray:6 4}.diagram .added .head,.diagram .removed .head,.diagram .changed .head,.diagram .change{fill:var(--mark)}.diagram .change{font-weight:600}",
  ".tree ul{padding-left:1.1rem;border-left:1px solid var(--line);margin-left:.4rem}.tree li{padding:.3rem 0}.tree .who{font-weight:600}",
  ".seen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}",
  // Footnotes.
  ".notes{columns:2;column-gap:2rem;font-size:12px;line-height:1.45;counter-reset:note}.notes li{break-inside:avoid;padding:.12rem 0 .12rem 2.2em;position:relative;color:var(--quiet)}.notes li:target{color:var(--ink);background:var(--raised)}.notes .n{position:absolute;left:0;width:1.7em;text-align:right}",
  ".accounts{display:grid;grid-template-columns:auto minmax(0,1fr);gap:.15rem 1rem;font-size:12px}.accounts dt{color:var(--quiet)}",
  "footer{margin-top:2rem;padding-top:1.2rem;border-top:1px solid var(--line);color:var(--quiet);font-size:13px}",
  "@media screen and (max-width:760px){main{padding:1.5rem 1rem 3rem}h1{font-size:1.4rem}.verdict{padding:1.1rem 1rem 1.2rem}section{grid-template-columns:minmax(0,1fr)}h2{padding-bottom:.7rem}.notes{columns:1}.wide{display:none}.accounts{grid-template-columns:minmax(0,1fr)}.accounts dd{padding-bottom:.3rem}.lines>li{grid-template-columns:minmax(0,1fr)}th,td{padding-right:.4rem}}",
  // Visible where the drawing has no room, and read aloud in place of it.
  "@media (min-width:761px),print{.tree{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}}",
  `@media print{@page{margin:12mm}:root{${variables(light)}}body{font-size:8.5pt;line-height:1.3}main{max-width:none;padding:0}h1{font-size:16pt}.verdict{margin-top:.8rem;padding:.7rem 1rem}.headline{font-size:10.5pt;margin-top:.3rem}.scale{margin-top:.5rem;height:58px}section{grid-template-columns:7.5rem minmax(0,1fr);gap:0 1rem;padding-top:.35rem;margin-top:.35rem}h2{font-size:8.5pt;break-after:avoid}.lines .badge{font-size:9pt}.lines>li{padding:.08rem 0;break-inside:avoid}figure,.bars>div{break-inside:avoid}.wide svg{max-height:5.2cm;width:auto}details{display:none}.notes{columns:2;font-size:7pt;line-height:1.3}.notes li{padding-top:0;padding-bottom:0}.accounts{display:block;columns:2;column-gap:1.5rem;font-size:7pt;line-height:1.35}.accounts dt{display:none}.bars{gap:.05rem .9rem;font-size:7.5pt;line-height:1.25}.bar{height:5px}.command{margin:.15rem 0;padding:.15rem .4rem;font-size:6.5pt;line-height:1.3}.curve{max-height:2.6cm;width:auto}figure{margin-top:.6rem}figure+.lines{margin-top:.6rem}figcaption,.note,.meta{font-size:8pt;margin-bottom:.15rem}footer{margin-top:.8rem;padding-top:.5rem;font-size:8pt}a{color:inherit;text-decoration:none}}`
].join("\n")

/** What a page may do: be styled by this style, and nothing else. */
export const policy: string = `default-src 'none'; style-src 'sha256-${base64(sha256(style))}'; base-uri 'none'; form-action 'none'`

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
}

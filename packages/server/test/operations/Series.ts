import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parse } from "yaml"

/** One selector of a query: the series that it reads, and the labels that it or its query names. */
export interface Selected {
  readonly where: string
  readonly series: string
  readonly labels: ReadonlyArray<string>
}

export const alerts = fileURLToPath(new URL("../../operations/alerts.yml", import.meta.url))
const dashboard = fileURLToPath(new URL("../../operations/dashboard.json", import.meta.url))

interface Rule {
  readonly alert: string
  readonly expr: string
}

interface Panel {
  readonly title: string
  readonly targets?: ReadonlyArray<{ readonly expr: string; readonly legendFormat: string }>
}

/** Every query of the rules and of the dashboard, with where it is. */
export const queries = (): ReadonlyArray<{ readonly where: string; readonly expr: string }> => [
  ...(parse(readFileSync(alerts, "utf8")).groups as ReadonlyArray<{ readonly rules: ReadonlyArray<Rule> }>).flatMap(
    ({ rules }) => rules.map(({ alert, expr }) => ({ where: alert, expr }))
  ),
  ...(JSON.parse(readFileSync(dashboard, "utf8")).panels as ReadonlyArray<Panel>).flatMap(({ targets = [], title }) =>
    targets.map(({ expr }) => ({ where: title, expr }))
  )
]

/** The series that a query reads: every word that is no function, no keyword and no label. */
export const selected = ({
  expr,
  where
}: {
  readonly where: string
  readonly expr: string
}): ReadonlyArray<Selected> => {
  const grouped = [...expr.matchAll(/\b(?:by|without)\s*\(([^)]*)\)/g)].flatMap(([, list = ""]) =>
    list.split(",").map((label) => label.trim())
  )
  const rest = expr.replaceAll(/\b(?:by|without)\s*\([^)]*\)/g, "")
  return [...rest.matchAll(/\b([a-z][a-z0-9]*(?:_[a-z0-9]+)+)\b(?!\s*\()(?:\{([^}]*)\})?/g)]
    .filter(([, name = ""]) => !name.startsWith("__"))
    .map(([, series = "", matchers = ""]) => ({
      where,
      series,
      labels: [
        ...new Set([
          ...[...matchers.matchAll(/([a-z_]+)\s*(?:=~|!~|!=|=)/g)].map(([, label = ""]) => label),
          ...grouped
        ])
      ].filter((label) => !ofPrometheus.has(label))
    }))
}

/** The labels that Prometheus adds, and `le` of a histogram. */
const ofPrometheus: ReadonlySet<string> = new Set(["", "instance", "job", "le"])

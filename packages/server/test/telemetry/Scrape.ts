/** One line of a scrape. `family` is the name without what a histogram adds to it. */
export interface Sample {
  readonly name: string
  readonly family: string
  readonly type: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Reads `/metrics`. */
export const of = async (url: string): Promise<ReadonlyArray<Sample>> => parse(await (await fetch(url)).text())

export const parse = (text: string): ReadonlyArray<Sample> => {
  const types = new Map<string, string>()
  const samples: Array<Sample> = []
  for (const line of text.trimEnd().split("\n")) {
    const type = /^# TYPE (\S+) (\S+)$/.exec(line)
    if (type !== null) types.set(type[1] ?? "", type[2] ?? "")
    const sample = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line)
    if (sample === null) {
      if (!line.startsWith("#")) throw new Error(`not a sample: ${line}`)
      continue
    }
    const [, name = "", labels = "", value = ""] = sample
    const base = name.replace(/_(?:bucket|sum|count)$/, "")
    const family = types.get(base) === "histogram" ? base : name
    samples.push({
      ...{ name, family, type: types.get(family) ?? "untyped" },
      labels: Object.fromEntries(
        [...labels.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = "", text = ""]) => [key, text])
      ),
      value: Number(value.replace("+Inf", "Infinity"))
    })
  }
  return samples
}

/** The families of a scrape, each with its labels. */
export const families = (
  samples: ReadonlyArray<Sample>
): ReadonlyArray<{ readonly name: string; readonly type: string; readonly labels: ReadonlyArray<string> }> =>
  [...new Set(samples.map(({ family }) => family))].map((name) => {
    const members = samples.filter(({ family }) => family === name)
    return {
      name,
      type: members[0]?.type ?? "untyped",
      labels: [...new Set(members.flatMap(({ labels }) => Object.keys(labels)))]
        .filter((label) => label !== "le")
        .sort()
    }
  })

/** The sum of the members that have these labels. */
export const sum = (samples: ReadonlyArray<Sample>, name: string, labels: Readonly<Record<string, string>>): number =>
  samples
    .filter(
      (sample) => sample.name === name && Object.entries(labels).every(([key, text]) => sample.labels[key] === text)
    )
    .reduce((total, { value }) => total + value, 0)

import { readGoDuration } from "@kubewright/apimachinery";
import { isInt64 } from "@kubewright/apiserver/registry";

interface Bounds {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  readonly words?: readonly string[];
}

const fields: readonly Bounds[] = [
  { name: "minute", least: 0, most: 59 },
  { name: "hour", least: 0, most: 23 },
  { name: "day of month", least: 1, most: 31 },
  {
    name: "month",
    least: 1,
    most: 12,
    words: ["", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
  },
  { name: "day of week", least: 0, most: 6, words: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] },
];
const descriptors = new Set(["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"]);

/**
 * What is wrong with a schedule of five fields, or a descriptor such as `@daily` or `@every 1h`; `undefined` when nothing is.
 *
 * @see github.com/robfig/cron ParseStandard
 */
export function scheduleProblem(text: string): string | undefined {
  const spec = text.replace(/^(CRON_TZ|TZ)=\S+\s+/, "");
  if (spec === "") return "empty spec string";
  if (spec.startsWith("@")) return descriptorProblem(spec);
  const parts = spec.trim().split(/\s+/);
  if (parts.length !== fields.length) return `expected exactly 5 fields, found ${parts.length}: [${parts.join(" ")}]`;
  for (const [i, bounds] of fields.entries()) {
    for (const range of (parts[i] ?? "").split(",")) {
      const problem = rangeProblem(range, bounds);
      if (problem) return problem;
    }
  }
  return undefined;
}

function descriptorProblem(spec: string): string | undefined {
  if (descriptors.has(spec)) return undefined;
  if (spec.startsWith("@every ")) {
    const read = readGoDuration(spec.slice(7));
    return "problem" in read ? `failed to parse duration ${spec}: ${read.problem}` : undefined;
  }
  return `unrecognized descriptor: ${spec}`;
}

function rangeProblem(text: string, bounds: Bounds): string | undefined {
  const [range = "", step, ...moreSteps] = text.split("/");
  if (moreSteps.length > 0) return `too many slashes: ${text}`;
  const [low = "", high, ...moreBounds] = range.split("-");
  if (moreBounds.length > 0) return `too many hyphens: ${text}`;
  let [start, end] = [bounds.least, bounds.most];
  if (low !== "*" && low !== "?") {
    const first = numberOf(low, bounds);
    if (typeof first === "string") return first;
    const last = high === undefined ? (step === undefined ? first : bounds.most) : numberOf(high, bounds);
    if (typeof last === "string") return last;
    [start, end] = [first, last];
  }
  if (step !== undefined) {
    const every = numberOf(step, { ...bounds, words: [] });
    if (typeof every === "string") return every;
    if (every === 0) return `step of range should be a positive number: ${text}`;
  }
  if (start < bounds.least) return `beginning of range (${start}) below minimum (${bounds.least}): ${text}`;
  if (end > bounds.most) return `end of range (${end}) above maximum (${bounds.most}): ${text}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${text}`;
  return undefined;
}

/** The number, or what is wrong with it. */
function numberOf(text: string, bounds: Bounds): number | string {
  const word = bounds.words?.indexOf(text.toLowerCase()) ?? -1;
  if (word >= 0 && text !== "") return word;
  if (!/^[+-]?\d+$/.test(text))
    return `failed to parse int from ${text}: strconv.Atoi: parsing "${text}": invalid syntax`;
  if (!isInt64(text)) return `failed to parse int from ${text}: strconv.Atoi: parsing "${text}": value out of range`;
  return Number(text) < 0 ? `negative number (${Number(text)}) not allowed: ${text}` : Number(text);
}

/** A line in a story. */
export interface StoryLine {
  /** Virtual time in milliseconds since the start of the schedule. */
  readonly atMs: number;
  readonly who: "user" | "fault" | "program" | "cluster" | "check";
  /** Text of the line. It is extended later, for example with the response to a request. */
  text: string;
}

/** Maximum number of lines of a story. */
const maxLines = 30;
const longestLine = 200;

/** The events of a schedule, in order. */
export class Story {
  readonly lines: StoryLine[] = [];

  add(atMs: number, who: StoryLine["who"], text: string): StoryLine {
    const line = { atMs, who, text };
    this.lines.push(line);
    return line;
  }

  /** Removes a line, because the event did not happen. */
  remove(line: StoryLine): void {
    this.lines.splice(this.lines.indexOf(line), 1);
  }

  /**
   * Returns the story as text of at most 30 lines. Repetitions are counted, and the middle of a long story is omitted.
   */
  text(): string {
    const counted: { line: StoryLine; times: number }[] = [];
    for (const line of this.lines) {
      const last = counted.at(-1);
      if (last && last.line.who === line.who && last.line.text === line.text) last.times++;
      else counted.push({ line, times: 1 });
    }
    const shown = counted.map(({ line, times }) => lineText(line) + (times > 1 ? ` (${times} times)` : ""));
    if (shown.length <= maxLines) return shown.join("\n");
    const tail = 12;
    const head = maxLines - tail - 1;
    return [...shown.slice(0, head), `    … ${shown.length - head - tail} lines …`, ...shown.slice(-tail)].join("\n");
  }
}

function lineText({ atMs, who, text }: StoryLine): string {
  const seconds = (atMs / 1_000).toFixed(3).padStart(9);
  const line = `${seconds} s  ${who.padEnd(7)}  ${text.replaceAll("\n", " ")}`;
  return line.length > longestLine ? `${line.slice(0, longestLine)}…` : line;
}

import { type ComponentChild, h } from "preact";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";

export interface ChartProps {
  readonly title: string;
  readonly atMs: readonly number[];
  readonly series: readonly {
    readonly label: string;
    readonly values: readonly number[];
    readonly isDashed?: boolean;
  }[];
  readonly height?: number;
}

/** Chart of the last hour. The caption contains the latest values for screen readers. */
export function Chart({ title, atMs, series, height = 140 }: ChartProps): ComponentChild {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const data: uPlot.AlignedData = [atMs.map((ms) => ms / 1_000), ...series.map(({ values }) => [...values])];
  const newest = series.map(({ label, values }) => `${label} ${values.at(-1) ?? 0}`).join(", ");
  useEffect(() => {
    const { current } = place;
    if (!current) return undefined;
    const make = (): void => {
      plot.current?.destroy();
      plot.current = new uPlot(optionsOf(current, title, series, height), data, current);
    };
    make();
    const watch = new ResizeObserver(() => plot.current?.setSize({ width: current.clientWidth, height }));
    watch.observe(current);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", make);
    return () => {
      watch.disconnect();
      dark.removeEventListener("change", make);
      plot.current?.destroy();
    };
  }, [title]);
  useEffect(() => plot.current?.setData(data), [atMs.at(-1), atMs.length]);
  return h(
    "figure",
    { class: "chart" },
    h("figcaption", null, `${title}: ${newest}`),
    h("div", { ref: place, "aria-hidden": "true" }),
  );
}

function optionsOf(place: HTMLElement, title: string, series: ChartProps["series"], height: number): uPlot.Options {
  const style = getComputedStyle(place);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const axis = {
    stroke: colour("--faint"),
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { stroke: colour("--line") },
  };
  const lines = [colour("--accent"), colour("--bad"), colour("--warning")];
  return {
    id: `chart-${title.replace(/\W+/g, "-")}`,
    width: Math.max(place.clientWidth, 120),
    height,
    legend: { show: false },
    cursor: { show: false },
    axes: [axis, { ...axis, size: 44 }],
    series: [
      {},
      ...series.map(({ label, isDashed }, at) => ({
        label,
        stroke: lines[at % lines.length] ?? "",
        width: 1.5,
        points: { show: false },
        ...(isDashed ? { dash: [5, 4] } : {}),
      })),
    ],
  };
}

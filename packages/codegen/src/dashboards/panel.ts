/** A graph in a dashboard. */
export interface Panel {
  readonly title: string;
  readonly description: string;
  /** Unit of the values, such as `s`, `short`, `ops`, `bytes` or `percentunit`. */
  readonly unit: string;
  /** PromQL queries, keyed by legend. `$job` and `$namespace` are the dashboard's variables. */
  readonly queries: Readonly<Record<string, string>>;
}

export interface DashboardModel {
  readonly title: string;
  readonly uid: string;
  /** Panels, keyed by the title of their row. Each line shows two panels. */
  readonly rows: Readonly<Record<string, readonly Panel[]>>;
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana replaces it on import
const source = { type: "prometheus", uid: "${DS_PROMETHEUS}" };
const size = { w: 12, h: 8 };

/**
 * Returns a dashboard in Grafana's import format.
 *
 * @see https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/
 */
export function dashboardText({ title, uid, rows }: DashboardModel): string {
  const panels: object[] = [];
  let y = 0;
  for (const [headline, own] of Object.entries(rows)) {
    panels.push({
      id: panels.length + 1,
      type: "row",
      title: headline,
      gridPos: { x: 0, y: y++, w: 24, h: 1 },
      panels: [],
    });
    for (const [i, panel] of own.entries()) {
      const gridPos = { x: (i % 2) * size.w, y: y + Math.floor(i / 2) * size.h, ...size };
      panels.push(graph(panels.length + 1, panel, gridPos));
    }
    y += Math.ceil(own.length / 2) * size.h;
  }
  const model = {
    __inputs: [{ name: "DS_PROMETHEUS", label: "Prometheus", type: "datasource", pluginId: "prometheus" }],
    title,
    uid,
    editable: true,
    refresh: "30s",
    schemaVersion: 39,
    time: { from: "now-1h", to: "now" },
    templating: { list: [variable("job", "up"), variable("namespace", 'up{job=~"$job"}')] },
    panels,
  };
  return `${JSON.stringify(model, undefined, 2)}\n`;
}

const graph = (id: number, { title, description, unit, queries }: Panel, gridPos: object): object => ({
  id,
  type: "timeseries",
  title,
  description,
  datasource: source,
  gridPos,
  fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
  options: { legend: { displayMode: "list", placement: "bottom" }, tooltip: { mode: "multi", sort: "desc" } },
  targets: Object.entries(queries).map(([legendFormat, expr], i) => {
    return { refId: String.fromCharCode(65 + i), datasource: source, expr, legendFormat };
  }),
});

const variable = (name: string, of: string): object => ({
  name,
  type: "query",
  datasource: source,
  query: `label_values(${of}, ${name})`,
  refresh: 2,
  includeAll: true,
  multi: true,
});

import { setTimeout as wait } from "node:timers/promises";
import type { Page } from "playwright-core";

/**
 * A screen of the console: the name of its picture, its address, and a selector that matches once its content is
 * loaded.
 */
export interface Screen {
  readonly name: string;
  readonly hash: string;
  readonly shows: string;
}

interface Overview {
  readonly panels: readonly { readonly id: string }[];
  readonly controllers: readonly { readonly name: string; readonly totals: { readonly reconciles: number } }[];
}

interface Reconciles {
  readonly reconciles: readonly { readonly key: string; readonly writes: readonly object[] }[];
}

const settleMs = 2_000;
const stillTimes = 3;
const longestMs = 120_000;

/** Waits until no reconcile has run for a while, and returns all screens, including one object and every panel. */
export async function screensOf(page: Page, origin: string): Promise<readonly Screen[]> {
  const get = async <T>(path: string): Promise<T> => {
    const answer = await page.request.get(`${origin}/debug/kubewright/v1/${path}`);
    if (!answer.ok()) throw new Error(`${path}: the console answered ${answer.status()}`);
    return answer.json();
  };
  const { panels, controllers } = await settled(() => get<Overview>("overview"));
  const screens: Screen[] = [{ name: "console-overview", hash: "#/overview", shows: "main table tbody tr" }];
  const busiest = controllers.toSorted((a, b) => b.totals.reconciles - a.totals.reconciles);
  for (const { name } of busiest) {
    const { reconciles } = await get<Reconciles>(`reconciles?controller=${encodeURIComponent(name)}`);
    const [most] = reconciles.toSorted((a, b) => b.writes.length - a.writes.length);
    if (!most || most.writes.length === 0) continue;
    const hash = `#/objects/${encodeURIComponent(name)}/${encodeURIComponent(most.key)}`;
    screens.push({ name: "console-object", hash, shows: "main .timeline li" });
    break;
  }
  for (const { id } of panels)
    screens.push({ name: `console-panel-${id}`, hash: `#/panels/${id}`, shows: "main table tbody tr" });
  return screens;
}

async function settled(get: () => Promise<Overview>): Promise<Overview> {
  let last = await get();
  let still = 0;
  for (let waited = 0; still < stillTimes && waited < longestMs; waited += settleMs) {
    await wait(settleMs);
    const now = await get();
    const total = ({ controllers }: Overview): number =>
      controllers.reduce((sum, one) => sum + one.totals.reconciles, 0);
    still = total(now) === total(last) && total(now) > 0 ? still + 1 : 0;
    last = now;
  }
  return last;
}

export { addConsole, Console, type ConsoleOptions } from "./console.ts";
export type { Panel, PanelCell, PanelColumn, PanelRow } from "./data/panels.ts";

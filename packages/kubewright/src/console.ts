/**
 * Web console for a running manager. Only programs that import this module contain the page.
 *
 * @module
 */
export {
  addConsole,
  Console,
  type ConsoleOptions,
  type Panel,
  type PanelCell,
  type PanelColumn,
  type PanelRow,
} from "@kubewright/console";

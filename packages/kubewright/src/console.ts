/**
 * Web console for a running manager. The page's assets are bundled only into programs that import this module.
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

/**
 * A view of a running manager, for browsers. Whoever imports this gets its page with it; programs that do not carry nothing of it.
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

export { addConsole, Console, type ConsoleOptions } from "./console.ts";
export type {
  Panel,
  PanelAttention,
  PanelCell,
  PanelColumn,
  PanelContent,
  PanelDetail,
  PanelEdge,
  PanelKind,
  PanelNode,
  PanelPart,
  PanelPicture,
  PanelPlace,
  PanelQuestion,
  PanelRow,
  PanelText,
  PanelTone,
} from "./data/panel.ts";

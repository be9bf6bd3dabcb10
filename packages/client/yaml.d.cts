export { parseDocument, visit } from "yaml";

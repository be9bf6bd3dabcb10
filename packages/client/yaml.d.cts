export { parseDocument } from "yaml";

import { stringify } from "yaml";

/** An object in YAML as older readers take it, too: `yes` and `on` are quoted. Its members stay in their order. */
export const sampleText = (object: object): string =>
  stringify(JSON.parse(JSON.stringify(object)), { aliasDuplicateObjects: false, lineWidth: 0, compat: "yaml-1.1" });

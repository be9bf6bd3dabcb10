import { documentText } from "@kubewright/codegen";

/** An object in YAML as older readers take it, too: `yes` and `on` are quoted. Its members stay in their order. */
export const sampleText = (object: object): string => documentText(JSON.parse(JSON.stringify(object)));

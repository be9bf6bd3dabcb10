import {
  type CreateNodeOptions,
  type DocumentOptions,
  type SchemaOptions,
  stringify,
  type ToStringOptions,
} from "yaml";

/** A file for kubectl, below the operator's folder. */
export interface Manifest {
  readonly path: string;
  readonly text: string;
}

type YamlOptions = DocumentOptions & SchemaOptions & CreateNodeOptions & ToStringOptions;

/**
 * The text of a manifest. What older readers of YAML, kubectl's among them, take for something else than text is quoted: `yes`,
 * `on`, `0123`.
 */
export const yaml = (document: object, options: YamlOptions = {}): string =>
  `# Written by npm run manifests.\n${stringify(document, { lineWidth: 0, compat: "yaml-1.1", ...options })}`;

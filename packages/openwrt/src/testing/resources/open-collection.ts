import type { FieldRecord } from "../field-table.ts";
import type { ResourceDefinition } from "./definition.ts";
import { addNamed, asUci } from "./sections.ts";

/** A collection that is not part of the specification. */
export interface OpenCollection {
  /** Path below `sdewan/`, such as `qos/v1/queues`. */
  readonly path: string;
  /** True if each object is a UCI section with the object's name. Default false: the name is an option. */
  readonly namedSections?: boolean | undefined;
}

/** Returns the definition of a collection whose objects may have any fields. The fields contain strings or lists of strings. */
export function openCollection({ path, namedSections: named = false }: OpenCollection): ResourceDefinition {
  const [module = "", , collection = ""] = path.split("/");
  const sectionType = collection.replace(/s$/, "");
  const config = `${module}-${collection}`;
  return {
    module,
    collection,
    type: sectionType,
    config,
    ownsConfig: true,
    sectionType,
    named,
    fields: [{ name: "name", mandatory: true }],
    takesAnyField: true,
    write: (record, cnf) => {
      const section = named
        ? addNamed(cnf, config, sectionType, String(record.name))
        : cnf.uci.add(config, sectionType);
      for (const [field, value] of section ? Object.entries(record) : []) {
        const option = named && field === "name" ? undefined : asUci(value);
        if (section && option !== undefined) cnf.uci.set(config, section, field, option);
      }
    },
    read: (record, section): FieldRecord => ({ ...Object.fromEntries(section.options), ...record }),
  };
}

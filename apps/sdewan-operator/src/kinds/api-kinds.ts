import type { DefinedKind } from "@kubewright/apimachinery";
import { CniInterface } from "../api/cni-interface.ts";
import { ruleKinds } from "./rule-kinds.ts";

const kinds: readonly DefinedKind[] = [...ruleKinds.map(({ kind }) => kind), CniInterface];

/** Every kind of the API group, in the order of their plurals. */
export const apiKinds: readonly DefinedKind[] = kinds.toSorted((a, b) => (a.plural < b.plural ? -1 : 1));

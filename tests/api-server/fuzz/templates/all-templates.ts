import { accessTemplates } from "./access.ts";
import { admissionTemplates } from "./admission.ts";
import { coreTemplates } from "./core.ts";
import { customTemplates } from "./custom.ts";
import { podTemplates } from "./pods.ts";
import { resourceTemplates } from "./resource.ts";
import { serviceTemplates } from "./services.ts";
import { storageTemplates } from "./storage.ts";
import type { Template } from "./template.ts";
import { workloadTemplates } from "./workloads.ts";

/** Every built-in kind and a custom one. */
export const templates: readonly Template[] = [
  ...coreTemplates,
  ...podTemplates,
  ...serviceTemplates,
  ...workloadTemplates,
  ...storageTemplates,
  ...accessTemplates,
  ...admissionTemplates,
  ...resourceTemplates,
  ...customTemplates,
];

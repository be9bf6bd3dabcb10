import type { Sequence } from "../runner/sequence.ts";
import { access } from "./access.ts";
import { admission } from "./admission.ts";
import { aggregation } from "./aggregation.ts";
import { authorizationSequences } from "./authorization.ts";
import { celRules } from "./cel-rules.ts";
import { certificatesAndDevices } from "./certificates-and-devices.ts";
import { connecting } from "./connecting.ts";
import { customResources } from "./custom-resources.ts";
import { defaults } from "./defaults.ts";
import { discovery } from "./discovery.ts";
import { httpSurface } from "./http-surface.ts";
import { lifecycle } from "./lifecycle.ts";
import { listing } from "./listing.ts";
import { mediaTypes } from "./media-types.ts";
import { moreKinds } from "./more-kinds.ts";
import { nearlyRight } from "./nearly-right.ts";
import { parameters } from "./parameters.ts";
import { patches } from "./patches.ts";
import { publishedDocuments } from "./published-documents.ts";
import { serverSideApply } from "./server-side-apply.ts";
import { serviceAccounts } from "./service-accounts.ts";
import { subresources } from "./subresources.ts";
import { tables } from "./tables.ts";
import { validation } from "./validation.ts";

/** The sequences by section of the API server's specification. */
export const sections: Readonly<Record<string, readonly Sequence[]>> = {
  "http-surface": httpSurface,
  discovery,
  "media-types": mediaTypes,
  parameters,
  tables,
  lifecycle,
  subresources,
  defaults,
  validation,
  listing,
  patches,
  "server-side-apply": serverSideApply,
  "custom-resources": customResources,
  "cel-rules": celRules,
  access,
  admission,
  "published-documents": publishedDocuments,
  "more-kinds": moreKinds,
  "certificates-and-devices": certificatesAndDevices,
  authorization: authorizationSequences,
  "service-accounts": serviceAccounts,
  "nearly-right": nearlyRight,
  connecting,
  aggregation,
};

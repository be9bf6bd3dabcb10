import { type Conversion, checkHubAndSpokes } from "./conversion/hub-and-spokes.ts";
import { newServer, type Webhook } from "./webhook.ts";

/**
 * Creates a webhook, served at `/convert`, that converts objects between the versions of a kind, directly or through a
 * hub.
 *
 * @throws {Error} if the versions belong to different kinds, a version has two converters, or a version in the CRD has no converter
 */
export function conversion(versions: Conversion): Webhook {
  if ("hub" in versions) checkHubAndSpokes(versions);
  return { endpoints: [], declarations: [], conversions: [versions], newServer };
}

import { type Conversion, checkHubAndSpokes } from "./conversion/hub-and-spokes.ts";
import { newServer, type Webhook } from "./webhook.ts";

/**
 * Creates a webhook that converts objects of a kind between its versions, at `/convert`, directly or through a hub.
 *
 * @throws {Error} if the versions belong to different kinds, a version has two converters, or a version in the CRD has no converter
 */
export function conversion(versions: Conversion): Webhook {
  if ("hub" in versions) checkHubAndSpokes(versions);
  return { endpoints: [], declarations: [], conversions: [versions], newServer };
}

import { cnfHubSite } from "./cnf-hub-site.ts";
import { cnfLocalService } from "./cnf-local-service.ts";
import { cnfService } from "./cnf-service.ts";

/** All composite kinds. */
export const compositeKinds = [cnfService, cnfLocalService, cnfHubSite] as const;

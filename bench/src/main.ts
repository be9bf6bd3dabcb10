import { measure } from "./measure.ts";
import { ratioTable } from "./table.ts";
import { queueLoads, queueSubjects } from "./workqueue.ts";

const count = 1_000_000;
for (const load of queueLoads) {
  for (const line of ratioTable(
    `work queue, ${count.toLocaleString("en-US")} adds`,
    await measure(queueSubjects(load, count), 5),
  ))
    console.log(line);
  console.log();
}

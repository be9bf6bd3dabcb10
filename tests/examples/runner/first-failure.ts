import { beforeEach, type RunnerTask } from "vitest";

const hasFailed = ({ result, ...task }: RunnerTask): boolean =>
  result?.state === "fail" || ("tasks" in task && task.tasks.some(hasFailed));

/** One failure per file is enough: skips the remaining tests. */
beforeEach(({ task, skip }) => {
  if (task.file.tasks.some(hasFailed)) skip();
});

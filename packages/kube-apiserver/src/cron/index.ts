export { parseSchedule, type Schedule, ScheduleError } from "./schedule.ts";

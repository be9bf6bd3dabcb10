export { isScheduleError, parseSchedule, type Schedule, ScheduleError } from "./schedule.ts";

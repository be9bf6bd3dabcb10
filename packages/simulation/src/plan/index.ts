export { type ModulePlanOptions, type PlanOptions, plan } from "./plan.ts";
export { type ProgramPlanOptions, planProgram } from "./plan-program.ts";
export {
  type FieldChange,
  isPlanError,
  PlanError,
  type PlanFailure,
  type PlannedChange,
  type PlannedManifest,
  type PlannedUnknown,
  type PlanReport,
} from "./plan-report.ts";

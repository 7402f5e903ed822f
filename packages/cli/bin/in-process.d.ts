export type { InProcess } from "../src/in-process/open-in-process.ts";
export { openInProcess } from "../src/in-process/open-in-process.ts";

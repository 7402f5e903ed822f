import { availableParallelism, loadavg, totalmem } from "node:os";

/** What kind of machine measured, without anything that names it. */
export interface MachineClass {
  readonly cores: number;
  readonly memoryGigabytes: number;
  readonly system: string;
  readonly node: string;
  /** How many processes wanted the processor in the minute before: a quiet machine is near nothing. */
  readonly loadBefore: number;
}

export function machineClass(): MachineClass {
  return {
    cores: availableParallelism(),
    memoryGigabytes: Math.round(totalmem() / 1024 ** 3),
    system: `${process.platform} ${process.arch}`,
    node: process.versions.node,
    loadBefore: Math.round((loadavg()[0] ?? Number.NaN) * 10) / 10,
  };
}

export function toMachineText({ cores, memoryGigabytes, system, node, loadBefore }: MachineClass): string {
  return `${cores} cores, ${memoryGigabytes} GB, ${system}, Node ${node}; load before: ${loadBefore}`;
}

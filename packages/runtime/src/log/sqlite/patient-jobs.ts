import { createOneTimer } from "./one-timer.ts";

/** So many are committed in a millisecond or two, after which the streams get the loop again. */
const TOGETHER = 16;
/**
 * However many sessions there are, all are committed within so many times `patienceMs`. Each has pages of its own, which every commit of it
 * writes: sixty-four sessions would cost four times as much as sixteen if none of them waited longer.
 */
const LONGEST = 5;

/** Jobs that nobody waits for, by the session they are about; those without one are about the same. */
export interface PatientJobs<Job> {
  add(about: string | undefined, job: Job): void;
  /** What is about the same session, oldest first: it must be committed before what comes now. */
  take(about: string | undefined): readonly Job[];
  /** The oldest, as many as one commit should have. Others are due later: as many commits are made for many sessions as for a few. */
  takeSome(): readonly Job[];
  takeAll(): readonly Job[];
  all(): readonly Job[];
}

export interface PatientJobsOptions {
  readonly patienceMs: number;
  readonly maxJobs: number;
  /** The oldest has waited for long enough, or there are `maxJobs`. */
  readonly onDue: () => void;
}

export function createPatientJobs<Job>({ patienceMs, maxJobs, onDue }: PatientJobsOptions): PatientJobs<Job> {
  const bySession = new Map<string | undefined, Job[]>();
  const timer = createOneTimer();
  let count = 0;
  let spacingMs = patienceMs;
  const all = (): readonly Job[] => [...bySession.values()].flat();

  return {
    add(about, job) {
      const earlier = bySession.get(about);
      if (earlier === undefined) bySession.set(about, [job]);
      else earlier.push(job);
      count += 1;
      if (count >= maxJobs) onDue();
      else if (!timer.isSet()) timer.set(onDue, patienceMs);
    },
    take(about) {
      const jobs = bySession.get(about) ?? [];
      bySession.delete(about);
      count -= jobs.length;
      return jobs;
    },
    takeSome() {
      const jobs: Job[] = [];
      for (const [about, ofSession] of bySession) {
        if (jobs.length >= TOGETHER) break;
        jobs.push(...ofSession);
        bySession.delete(about);
      }
      count -= jobs.length;
      timer.clear();
      spacingMs = count === 0 ? patienceMs : Math.min(spacingMs, (LONGEST * patienceMs * TOGETHER) / count);
      if (count > 0) timer.set(onDue, spacingMs);
      return jobs;
    },
    takeAll() {
      const jobs = all();
      bySession.clear();
      count = 0;
      timer.clear();
      return jobs;
    },
    all,
  };
}

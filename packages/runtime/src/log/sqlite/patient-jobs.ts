import { createOneTimer } from "./one-timer.ts";

/** Jobs committed together: a millisecond or two, after which streams get the loop again. */
const TOGETHER = 16;
/**
 * With many sessions, each is committed within this multiple of `patienceMs`. Every commit of a session writes pages of its own: if none
 * waited longer, sixty-four sessions would cost four times as much as sixteen.
 */
const LONGEST = 5;

/** Jobs that are not awaited, grouped by session; those without one form a group. */
export interface PatientJobs<Job> {
  add(about: string | undefined, job: Job): void;
  /** The session's jobs, oldest first: they must be committed before the job that comes now. */
  take(about: string | undefined): readonly Job[];
  /** The oldest, up to the size of one commit. The rest is due later, so many sessions cause no more commits than a few. */
  takeSome(): readonly Job[];
  takeAll(): readonly Job[];
  all(): readonly Job[];
}

export interface PatientJobsOptions {
  readonly patienceMs: number;
  readonly maxJobs: number;
  /** The oldest has waited long enough, or there are `maxJobs`. */
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

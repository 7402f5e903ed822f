/** Jobs that nobody waits for, by the session they are about; those without one are about the same. */
export interface PatientJobs<Job> {
  readonly size: number;
  add(about: string | undefined, job: Job): void;
  /** What is about the same session, oldest first: it must be committed before what comes now. */
  take(about: string | undefined): readonly Job[];
  takeAll(): readonly Job[];
  all(): readonly Job[];
}

export function createPatientJobs<Job>(): PatientJobs<Job> {
  const bySession = new Map<string | undefined, Job[]>();
  let size = 0;
  const all = (): readonly Job[] => [...bySession.values()].flat();

  return {
    get size() {
      return size;
    },
    add(about, job) {
      const earlier = bySession.get(about);
      if (earlier === undefined) bySession.set(about, [job]);
      else earlier.push(job);
      size += 1;
    },
    take(about) {
      const jobs = bySession.get(about) ?? [];
      bySession.delete(about);
      size -= jobs.length;
      return jobs;
    },
    takeAll() {
      const jobs = all();
      bySession.clear();
      size = 0;
      return jobs;
    },
    all,
  };
}
